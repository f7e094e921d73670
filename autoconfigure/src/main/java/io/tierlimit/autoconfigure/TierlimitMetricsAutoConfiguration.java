package io.tierlimit.autoconfigure;

import java.util.function.Consumer;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.observation.ObservationRegistry;
import io.tierlimit.audit.jdbc.RejectionQueue;
import io.tierlimit.autoconfigure.properties.TierlimitProperties;
import io.tierlimit.evaluation.CompiledRules;
import io.tierlimit.evaluation.EvaluationObserver;
import io.tierlimit.evaluation.RateLimitEvaluator;
import io.tierlimit.evaluation.RuleReloader;
import io.tierlimit.evaluation.ActiveRules;
import io.tierlimit.metrics.InstanceMeters;
import io.tierlimit.metrics.ObservedEvaluations;
import io.tierlimit.metrics.RequestMeters;
import io.tierlimit.metrics.StoreMeters;
import io.tierlimit.metrics.TimedEvaluations;
import io.tierlimit.store.BucketCounts;
import io.tierlimit.store.BucketStore;

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
@AutoConfiguration(
		after = { TierlimitAuditAutoConfiguration.class, TierlimitAutoConfiguration.class,
				TierlimitRedisAutoConfiguration.class },
		afterName = {
				"org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration",
				"org.springframework.boot.actuate.autoconfigure.metrics.CompositeMeterRegistryAutoConfiguration" })
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean({ MeterRegistry.class, RateLimitEvaluator.class })
public final class TierlimitMetricsAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	RequestMeters rateLimitRequestMeters(MeterRegistry registry, ObjectProvider<ActiveRules> rules) {
		return new RequestMeters(registry, (id) -> rules.getObject().current().rule(id));
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
	MeterBinder rateLimitBucketMeters(BucketCounts counts) {
		return InstanceMeters.ofBuckets(counts);
	}

	@Bean
	MeterBinder rateLimitReloadMeters(RuleReloader reloader) {
		return InstanceMeters.ofReloads(reloader);
	}

	@Bean
	@ConditionalOnBean(RejectionQueue.class)
	MeterBinder rateLimitAuditMeters(RejectionQueue queue) {
		return InstanceMeters.ofAudit(queue::dropped);
	}

	/**
	 * The rule of an annotation that is found later is registered with its first
	 * decision.
	 */
	@Bean
	@Lazy(false)
	SmartInitializingSingleton rateLimitMetersOfRules(ActiveRules rules, RequestMeters meters) {
		Consumer<CompiledRules> registration = (set) -> meters.replace(set.withDerived());
		return () -> {
			registration.accept(rules.current());
			rules.whenReplaced(registration);
		};
	}

}
