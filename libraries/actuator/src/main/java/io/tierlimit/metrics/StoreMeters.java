package io.tierlimit.metrics;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Timer;
import io.tierlimit.metrics.RateLimitMeter.RateLimitTag;
import io.tierlimit.store.StoreListener;

/**
 * Times and counts the calls to a shared store.
 */
public final class StoreMeters implements StoreListener {

	private final Map<CallOutcome, Timer> calls = new EnumMap<>(CallOutcome.class);

	private final Counter failures;

	private final Counter rejections;

	private final MeterRegistry registry;

	/**
	 * Creates meters.
	 * @param registry the registry of the meters
	 * @param store the store's name
	 */
	public StoreMeters(MeterRegistry registry, String store) {
		this.registry = registry;
		List<Tag> tags = List.of(RateLimitTag.STORE.of(store));
		for (CallOutcome outcome : CallOutcome.values()) {
			this.calls.put(outcome,
					Timer.builder(RateLimitMeter.STORE_CALLS.getName())
						.description("Calls to the store")
						.tags(tags)
						.tags(List.of(RateLimitTag.OUTCOME.of(outcome)))
						.register(registry));
		}
		this.failures = Counter.builder(RateLimitMeter.STORE_FAILURES.getName())
			.description("Calls to the store that failed or timed out")
			.tags(tags)
			.register(registry);
		this.rejections = Counter.builder(RateLimitMeter.STORE_REJECTIONS_CACHED.getName())
			.description("Requests that were rejected without a call to the store")
			.tags(tags)
			.register(registry);
	}

	@Override
	public void onCall(CallOutcome outcome, long nanos) {
		Objects.requireNonNull(this.calls.get(outcome)).record(nanos, TimeUnit.NANOSECONDS);
		if (outcome == CallOutcome.FAILED) {
			this.failures.increment();
		}
	}

	@Override
	public void onCachedRejection() {
		this.rejections.increment();
	}

	@Override
	public void onLostHolder(String rule) {
		Counter.builder(RateLimitMeter.HOLDERS_LOST.getName())
			.description("Requests whose permits were lost while they were in flight")
			.tags(List.of(RateLimitTag.RULE.of(rule)))
			.register(this.registry)
			.increment();
	}

}
