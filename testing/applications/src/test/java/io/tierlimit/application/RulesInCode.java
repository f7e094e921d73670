package io.tierlimit.application;

import java.time.Duration;

import io.tierlimit.AppliesTo;
import io.tierlimit.LimitDefinition;
import io.tierlimit.RuleDefinition;
import io.tierlimit.limit.Algorithm;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
class RulesInCode {

	@Bean
	RuleDefinition searches() {
		return RuleDefinition.of("searches")
			.paths("/search/**")
			.scope("user")
			.rate(10, Duration.ofSeconds(1))
			.burst(Duration.ofMinutes(1)) // what the rate earns in a minute
			.plan("pro", (plan) -> plan.rate(100, Duration.ofSeconds(1)).burst(2000))
			.plan("partner", LimitDefinition::unlimited);
	}

	@Bean
	RuleDefinition partnerCalls() {
		return RuleDefinition.of("partner-calls")
			.appliesTo(AppliesTo.CODE) // only where it is named
			.algorithm(Algorithm.LEAKY_BUCKET)
			.rate(10, Duration.ofSeconds(1))
			.maxReserved(100);
	}

}
