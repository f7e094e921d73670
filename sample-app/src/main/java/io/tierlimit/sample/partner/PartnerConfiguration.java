package io.tierlimit.sample.partner;

import io.tierlimit.spi.KeyResolver;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;

/**
 * Partners are known by a key that they send in a header field. Scheduling is switched on
 * for the imports of their prices.
 */
@Configuration(proxyBeanMethods = false)
@EnableScheduling
class PartnerConfiguration {

	/**
	 * The scope {@code partner}. Only keys that the shop has given out count: a caller
	 * who invents one gets no fresh bucket by it.
	 */
	@Bean
	KeyResolver partner(Partners known) {
		return (caller) -> known.find(caller.header(Partners.KEY));
	}

}
