package io.tierlimit.sample.partner;

import java.util.Map;

import io.tierlimit.key.KeyResolver;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Partners are known by a key that they send in a header field.
 */
@Configuration(proxyBeanMethods = false)
class PartnerConfiguration {

	private static final Map<String, String> PARTNERS = Map.of("k-3141", "acme", "k-2718", "globex");

	/**
	 * The scope {@code partner}. Only keys that the shop has given out count: a caller
	 * who invents one gets no fresh bucket by it.
	 */
	@Bean
	KeyResolver partner() {
		return (caller) -> {
			String key = caller.header("X-Partner-Key");
			return (key != null) ? PARTNERS.get(key) : null;
		};
	}

}
