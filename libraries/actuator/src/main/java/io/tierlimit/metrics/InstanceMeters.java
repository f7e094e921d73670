package io.tierlimit.metrics;

import java.util.List;
import java.util.Objects;
import java.util.function.LongSupplier;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.tierlimit.evaluation.ReloadResult.Outcome;
import io.tierlimit.evaluation.RuleReloader;
import io.tierlimit.metrics.RateLimitMeter.RateLimitTag;
import io.tierlimit.store.BucketCounts;

/**
 * Meters of this instance, which read their values from the object that counts.
 */
public final class InstanceMeters {

	private InstanceMeters() {
	}

	/**
	 * Meters of the buckets in the memory of this instance.
	 * @param counts the values of the meters
	 * @return the meters
	 */
	public static MeterBinder ofBuckets(BucketCounts counts) {
		return (registry) -> {
			Gauge.builder(RateLimitMeter.BUCKETS.getName(), counts, BucketCounts::size)
				.description("Buckets in this instance's memory")
				.register(registry);
			FunctionCounter.builder(RateLimitMeter.BUCKETS_EVICTED.getName(), counts, BucketCounts::evictions)
				.description("Buckets that were evicted before they were full, because of tierlimit.memory.max-buckets")
				.register(registry);
			FunctionCounter.builder(RateLimitMeter.BUCKETS_OVERFLOWED.getName(), counts, BucketCounts::overflows)
				.description("Charges to overflow buckets, which several keys share when no bucket can be evicted")
				.register(registry);
		};
	}

	/**
	 * Meters of reloads of the rules.
	 * @param reloader the values of the meters
	 * @return the meters
	 */
	public static MeterBinder ofReloads(RuleReloader reloader) {
		return (registry) -> {
			for (Outcome outcome : Outcome.values()) {
				FunctionCounter
					.builder(RateLimitMeter.RELOADS.getName(), reloader,
							(reloads) -> Objects.requireNonNull(reloads.counts().get(outcome)))
					.description("Reloads of the rules")
					.tags(List.of(RateLimitTag.OUTCOME.of(outcome)))
					.register(registry);
			}
		};
	}

	/**
	 * Meters of the table of rejections.
	 * @param dropped the number of rejections that are missing in the table
	 * @return the meters
	 */
	public static MeterBinder ofAudit(LongSupplier dropped) {
		return (registry) -> FunctionCounter
			.builder(RateLimitMeter.AUDIT_DROPPED.getName(), dropped, LongSupplier::getAsLong)
			.description("Rejections that are missing in the table of rejections")
			.register(registry);
	}

}
