package io.tierlimit.metrics;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.tierlimit.metrics.RateLimitMeter.RateLimitTag;
import io.tierlimit.option.adaptive.AdaptivePolicy;
import io.tierlimit.rule.Rule;

/**
 * Meters of adaptive rates.
 */
public final class AdaptiveMeters {

	private final MeterRegistry registry;

	private final ToDoubleFunction<String> shares;

	/** By the ids of the rules. */
	private final Map<String, Gauge> gauges = new HashMap<>();

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
	 * Registers the meters of the rules whose rate is adaptive, and removes those of
	 * other rules. Micrometer warns if a meter is registered again.
	 * @param rules all current rules
	 */
	public synchronized void replace(Collection<Rule> rules) {
		Set<String> adaptive = rules.stream()
			.filter((rule) -> rule.options().find(AdaptivePolicy.class) != null)
			.map(Rule::id)
			.collect(Collectors.toSet());
		this.gauges.forEach((id, gauge) -> {
			if (!adaptive.contains(id)) {
				this.registry.remove(gauge);
			}
		});
		this.gauges.keySet().retainAll(adaptive);
		adaptive.forEach((id) -> this.gauges.computeIfAbsent(id, this::register));
	}

	private Gauge register(String id) {
		return Gauge.builder(RateLimitMeter.ADAPTIVE_SHARE.getName(), () -> this.shares.applyAsDouble(id))
			.description("Share of the configured rate that is in force")
			.tags(List.of(RateLimitTag.RULE.of(id)))
			.register(this.registry);
	}

}
