package io.tierlimit.recipes;

import io.tierlimit.spi.PlanResolver;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
class PlanOfToken {

	@Bean
	PlanResolver planOfToken() {
		return (caller) -> (caller.claim("plan") instanceof String plan) ? plan : null;
	}

}
