package io.tierlimit.recipes;

import java.util.Map;

import io.tierlimit.spi.Caller;
import io.tierlimit.spi.KeyResolver;
import io.tierlimit.spi.PlanResolver;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
class ApiKeys {

	// The plan of each API key. Your application reads both from its database.
	private final Map<String, String> plans = Map.of("key-of-fred", "free", "key-of-paula", "pro");

	@Bean
	KeyResolver apiKey() {
		return (caller) -> this.plans.containsKey(sent(caller)) ? sent(caller) : null;
	}

	@Bean
	PlanResolver planOfApiKey() {
		return (caller) -> this.plans.get(sent(caller));
	}

	private static String sent(Caller caller) {
		String key = caller.header("X-Api-Key");
		return (key != null) ? key : "";
	}

}
