package io.tierlimit.metrics;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;

import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.tierlimit.evaluation.CompiledRule;
import io.tierlimit.metrics.RateLimitMeter.RateLimitTag;
import io.tierlimit.option.OptionMeter;
import org.jspecify.annotations.Nullable;

/**
 * The meters of the options of rules.
 *
 * @param registry the registry of the meters
 * @param ruleById finds a current rule by its id
 * @param registered the meters that are registered
 */
record OptionMeters(MeterRegistry registry, Function<String, @Nullable CompiledRule> ruleById,
		Map<Key, Meter> registered) {

	OptionMeters(MeterRegistry registry, Function<String, @Nullable CompiledRule> ruleById) {
		this(registry, ruleById, new HashMap<>());
	}

	/** Registers the meters of a rule, unless they are already registered. */
	synchronized void add(CompiledRule rule) {
		for (OptionMeter meter : rule.options().meters()) {
			this.registered.computeIfAbsent(Key.of(rule, meter), (key) -> register(key, meter));
		}
	}

	/** Registers the meters of all rules, and removes all others. */
	synchronized void replace(Collection<CompiledRule> rules) {
		Set<Key> present = new HashSet<>();
		for (CompiledRule rule : rules) {
			add(rule);
			rule.options().meters().forEach((meter) -> present.add(Key.of(rule, meter)));
		}
		this.registered.forEach((key, meter) -> {
			if (!present.contains(key)) {
				this.registry.remove(meter);
			}
		});
		this.registered.keySet().retainAll(present);
	}

	private Meter register(Key key, OptionMeter meter) {
		return switch (meter.type()) {
			case COUNTER -> FunctionCounter.builder(meter.name(), this, (meters) -> meters.value(key))
				.description(meter.description())
				.tags(key.tags())
				.register(this.registry);
			case SUMMARY -> summary(key, meter);
			case GAUGE -> Gauge.builder(meter.name(), () -> value(key))
				.description(meter.description())
				.tags(key.tags())
				.register(this.registry);
		};
	}

	private Meter summary(Key key, OptionMeter meter) {
		DistributionSummary summary = DistributionSummary.builder(meter.name())
			.description(meter.description())
			.tags(key.tags())
			.register(this.registry);
		Objects.requireNonNull(meter.values()).get().recordTo(summary::record);
		return summary;
	}

	/** The value under the current rules. */
	private double value(Key key) {
		CompiledRule rule = this.ruleById.apply(key.rule());
		if (rule != null) {
			for (OptionMeter meter : rule.options().meters()) {
				if (Key.of(rule, meter).equals(key)) {
					return meter.value().getAsDouble();
				}
			}
		}
		return Double.NaN;
	}

	/**
	 * The identity of a meter.
	 */
	record Key(String rule, String name, @Nullable String outcome) {

		static Key of(CompiledRule rule, OptionMeter meter) {
			return new Key(rule.rule().id(), meter.name(), meter.outcome());
		}

		List<Tag> tags() {
			List<Tag> tags = new ArrayList<>();
			tags.add(RateLimitTag.RULE.of(this.rule));
			if (this.outcome != null) {
				tags.add(RateLimitTag.OUTCOME.of(this.outcome));
			}
			return tags;
		}

	}

}
