package io.tierlimit.sample.partner;

import io.tierlimit.spi.KeyResolver;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;

/**
 * Identifies partners by a key in a header, and enables scheduling for the imports of
 * their prices.
 */
@Configuration(proxyBeanMethods = false)
@EnableScheduling
class PartnerConfiguration {

	/**
	 * The scope {@code partner}. Only keys that the shop has issued have buckets, so a
	 * caller cannot get a new bucket by an invented key.
	 */
	@Bean
	KeyResolver partner(Partners registered) {
		return (caller) -> registered.find(caller.header(Partners.KEY));
	}

}
