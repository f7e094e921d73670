package io.tierlimit.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.tierlimit.store.BucketCounts;

/**
 * Meters of the buckets in the memory of this instance.
 */
public final class BucketMeters implements MeterBinder {

	private final BucketCounts counts;

	/**
	 * Creates meters.
	 * @param counts the values of the meters
	 */
	public BucketMeters(BucketCounts counts) {
		this.counts = counts;
	}

	@Override
	public void bindTo(MeterRegistry registry) {
		Gauge.builder(RateLimitMeter.BUCKETS.getName(), this.counts, BucketCounts::size)
			.description("Buckets in this instance's memory")
			.register(registry);
		FunctionCounter.builder(RateLimitMeter.BUCKETS_EVICTED.getName(), this.counts, BucketCounts::evictions)
			.description("Buckets that were evicted before they were full, because of tierlimit.memory.max-buckets")
			.register(registry);
		FunctionCounter.builder(RateLimitMeter.BUCKETS_OVERFLOWED.getName(), this.counts, BucketCounts::overflows)
			.description("Charges to overflow buckets, which several keys share when no bucket can be evicted")
			.register(registry);
	}

}
