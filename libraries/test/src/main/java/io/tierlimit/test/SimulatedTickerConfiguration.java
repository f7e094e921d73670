package io.tierlimit.test;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;

/**
 * The clock of an application under test.
 */
@Configuration(proxyBeanMethods = false)
class SimulatedTickerConfiguration {

	// The bean is primary, so that it also replaces a ticker of the application.
	@Bean
	@Primary
	SimulatedTicker simulatedTicker() {
		return new SimulatedTicker();
	}

}
