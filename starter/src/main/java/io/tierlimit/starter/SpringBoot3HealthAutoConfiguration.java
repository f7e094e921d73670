package io.tierlimit.starter;

import io.tierlimit.actuate.StoreHealth;
import io.tierlimit.autoconfigure.TierlimitAutoConfiguration;
import io.tierlimit.evaluation.RateLimitEvaluator;
import io.tierlimit.spi.BucketStore;

import org.springframework.boot.actuate.autoconfigure.health.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/**
 * Configures the health contributor {@code ratelimit} of Spring Boot 3.5, whose health
 * types have other packages than those of Spring Boot 4.
 */
@AutoConfiguration(after = TierlimitAutoConfiguration.class)
@ConditionalOnClass(ConditionalOnEnabledHealthIndicator.class)
@ConditionalOnBean(RateLimitEvaluator.class)
@ConditionalOnEnabledHealthIndicator("ratelimit")
final class SpringBoot3HealthAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean(name = { "ratelimitHealthIndicator", "ratelimitHealthContributor" })
	SpringBoot3HealthIndicator ratelimitHealthContributor(RateLimitEvaluator evaluator, BucketStore store) {
		return new SpringBoot3HealthIndicator(new StoreHealth(evaluator, store));
	}

}
