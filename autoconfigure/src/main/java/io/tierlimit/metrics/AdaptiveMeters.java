package io.tierlimit.metrics;

import java.util.List;
import java.util.function.ToDoubleFunction;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.tierlimit.metrics.RateLimitMeter.RateLimitTag;
import io.tierlimit.rule.Rule;

/**
 * Meters of adaptive rates.
 */
public final class AdaptiveMeters {

	private final MeterRegistry registry;

	private final ToDoubleFunction<String> shares;

	/**
	 * Creates meters.
	 * @param registry the registry of the meters
	 * @param shares the share of the rate of a rule that is in force, by the rule's id
	 */
	public AdaptiveMeters(MeterRegistry registry, ToDoubleFunction<String> shares) {
		this.registry = registry;
		this.shares = shares;
	}

	/**
	 * Registers the meter of a rule, if its rate is adaptive.
	 * @param rule a rule that comes into force
	 */
	public void register(Rule rule) {
		if (rule.options().adaptive() != null) {
			String id = rule.id();
			Gauge.builder(RateLimitMeter.ADAPTIVE_SHARE.getName(), () -> this.shares.applyAsDouble(id))
				.description("Share of the configured rate that is in force")
				.tags(List.of(RateLimitTag.RULE.of(id)))
				.register(this.registry);
		}
	}

}
