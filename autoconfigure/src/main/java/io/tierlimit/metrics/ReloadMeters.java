package io.tierlimit.metrics;

import java.util.List;
import java.util.Objects;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.tierlimit.evaluation.ReloadResult.Outcome;
import io.tierlimit.evaluation.RuleReloader;
import io.tierlimit.metrics.RateLimitMeter.RateLimitTag;

/**
 * Meters of reloads of the rules.
 */
public final class ReloadMeters implements MeterBinder {

	private final RuleReloader reloader;

	/**
	 * Creates meters.
	 * @param reloader the values of the meters
	 */
	public ReloadMeters(RuleReloader reloader) {
		this.reloader = reloader;
	}

	@Override
	public void bindTo(MeterRegistry registry) {
		for (Outcome outcome : Outcome.values()) {
			FunctionCounter
				.builder(RateLimitMeter.RELOADS.getName(), this.reloader,
						(reloader) -> Objects.requireNonNull(reloader.counts().get(outcome)))
				.description("Reloads of the rules")
				.tags(List.of(RateLimitTag.OUTCOME.of(outcome)))
				.register(registry);
		}
	}

}
