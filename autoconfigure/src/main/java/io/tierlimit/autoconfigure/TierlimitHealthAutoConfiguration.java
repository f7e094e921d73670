package io.tierlimit.autoconfigure;

import io.tierlimit.actuate.RateLimitHealth;
import io.tierlimit.actuate.RateLimitHealthIndicator;
import io.tierlimit.evaluation.PlanSource;
import io.tierlimit.evaluation.RuleReloader;
import io.tierlimit.evaluation.ActiveRules;
import io.tierlimit.store.BucketStore;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.context.annotation.Bean;

/**
 * Configures the health contributor {@code ratelimit} of Spring Boot 4. The starter has
 * one for Spring Boot 3.5.
 */
@AutoConfiguration(after = TierlimitAutoConfiguration.class)
@ConditionalOnClass(ConditionalOnEnabledHealthIndicator.class)
@ConditionalOnBean(ActiveRules.class)
@ConditionalOnEnabledHealthIndicator("ratelimit")
public final class TierlimitHealthAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean(name = { "ratelimitHealthIndicator", "ratelimitHealthContributor" })
	RateLimitHealthIndicator ratelimitHealthContributor(ActiveRules rules, BucketStore store, RuleReloader reloader,
			ObjectProvider<PlanSource> plans) {
		return new RateLimitHealthIndicator(
				new RateLimitHealth(rules, store, reloader, plans.getIfAvailable(() -> PlanSource.NONE)));
	}

}
