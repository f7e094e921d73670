package io.tierlimit.autoconfigure;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import io.tierlimit.autoconfigure.properties.TierlimitProperties;
import io.tierlimit.evaluation.CompiledRule;
import io.tierlimit.evaluation.EvaluationObserver;
import io.tierlimit.evaluation.RateLimitEvaluator;
import io.tierlimit.metrics.BucketMeters;
import io.tierlimit.metrics.ObservedEvaluations;
import io.tierlimit.metrics.RequestMeters;
import io.tierlimit.metrics.StoreMeters;
import io.tierlimit.metrics.TimedEvaluations;
import io.tierlimit.spi.BucketStore;
import io.tierlimit.store.BucketCounts;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;

/**
 * Configures meters and observations.
 */
@AutoConfiguration(after = { TierlimitAutoConfiguration.class, TierlimitRedisAutoConfiguration.class },
		afterName = {
				"org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration",
				"org.springframework.boot.actuate.autoconfigure.metrics.CompositeMeterRegistryAutoConfiguration" })
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean({ MeterRegistry.class, RateLimitEvaluator.class })
public final class TierlimitMetricsAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	RequestMeters rateLimitRequestMeters(MeterRegistry registry, ObjectProvider<RateLimitEvaluator> evaluator) {
		return new RequestMeters(registry, (id) -> {
			CompiledRule rule = evaluator.getObject().rule(id);
			return (rule != null) ? rule.rule() : null;
		});
	}

	@Bean
	@ConditionalOnMissingBean
	EvaluationObserver rateLimitEvaluationObserver(MeterRegistry registry, BucketStore store,
			TierlimitProperties properties, ObjectProvider<ObservationRegistry> observations) {
		TimedEvaluations timed = new TimedEvaluations(registry, store.name());
		ObservationRegistry observed = properties.metrics().observations() ? observations.getIfUnique() : null;
		return (observed != null) ? new ObservedEvaluations(observed, store.name(), timed) : timed;
	}

	@Bean
	@ConditionalOnBean(type = "io.tierlimit.store.redis.RedisBucketStore")
	@ConditionalOnMissingBean
	StoreMeters rateLimitStoreMeters(MeterRegistry registry) {
		return new StoreMeters(registry, "redis");
	}

	@Bean
	@ConditionalOnBean(BucketCounts.class)
	@ConditionalOnMissingBean
	BucketMeters rateLimitBucketMeters(BucketCounts counts) {
		return new BucketMeters(counts);
	}

	/** A rule that is added later is registered with its first decision. */
	@Bean
	@Lazy(false)
	SmartInitializingSingleton rateLimitMetersOfRules(RateLimitEvaluator evaluator, RequestMeters meters) {
		return () -> evaluator.rules().stream().map(CompiledRule::rule).forEach(meters::register);
	}

}
