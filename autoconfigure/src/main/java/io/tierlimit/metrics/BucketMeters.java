package io.tierlimit.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.tierlimit.store.BucketCounts;

/**
 * Tells how many buckets this instance keeps in its own memory.
 */
public final class BucketMeters implements MeterBinder {

	private final BucketCounts counts;

	/**
	 * Creates meters.
	 * @param counts what they tell
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
			.description("Buckets that were forgotten before they were full, to make room")
			.register(registry);
		FunctionCounter.builder(RateLimitMeter.BUCKETS_OVERFLOWED.getName(), this.counts, BucketCounts::overflows)
			.description("Charges to a bucket that keys have to share, for want of room")
			.register(registry);
	}

}
