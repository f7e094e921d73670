package io.tierlimit.starter;

import io.tierlimit.actuate.RateLimitHealth;
import io.tierlimit.autoconfigure.TierlimitAutoConfiguration;
import io.tierlimit.evaluation.PlanSource;
import io.tierlimit.evaluation.RuleReloader;
import io.tierlimit.evaluation.ActiveRules;
import io.tierlimit.store.BucketStore;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.health.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/**
 * Configures the health contributor {@code ratelimit} of Spring Boot 3.5. The health
 * types of Spring Boot 4 are in other packages.
 */
@AutoConfiguration(after = TierlimitAutoConfiguration.class)
@ConditionalOnClass(ConditionalOnEnabledHealthIndicator.class)
@ConditionalOnBean(ActiveRules.class)
@ConditionalOnEnabledHealthIndicator("ratelimit")
final class SpringBoot3HealthAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean(name = { "ratelimitHealthIndicator", "ratelimitHealthContributor" })
	SpringBoot3HealthIndicator ratelimitHealthContributor(ActiveRules rules, BucketStore store, RuleReloader reloader,
			ObjectProvider<PlanSource> plans) {
		return new SpringBoot3HealthIndicator(
				new RateLimitHealth(rules, store, reloader, plans.getIfAvailable(() -> PlanSource.NONE)));
	}

}
