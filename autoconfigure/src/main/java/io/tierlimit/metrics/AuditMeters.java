package io.tierlimit.metrics;

import java.util.function.LongSupplier;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;

/**
 * Meters of the table of rejections.
 */
public final class AuditMeters implements MeterBinder {

	private final LongSupplier dropped;

	/**
	 * Creates meters.
	 * @param dropped the number of rejections that are missing in the table
	 */
	public AuditMeters(LongSupplier dropped) {
		this.dropped = dropped;
	}

	@Override
	public void bindTo(MeterRegistry registry) {
		FunctionCounter.builder(RateLimitMeter.AUDIT_DROPPED.getName(), this.dropped, LongSupplier::getAsLong)
			.description("Rejections that are missing in the table of rejections")
			.register(registry);
	}

}
