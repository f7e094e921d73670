package io.tierlimit.metrics;

import java.util.function.Supplier;
import java.util.stream.Collectors;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.tierlimit.RuleDecision;
import io.tierlimit.Verdict;
import io.tierlimit.evaluation.EvaluationObserver;
import io.tierlimit.metrics.RateLimitMeter.RateLimitTag;
import io.tierlimit.metrics.RateLimitObservation.SpanTag;
import io.tierlimit.rule.KebabCase;
import org.jspecify.annotations.Nullable;

/**
 * Wraps every evaluation in an observation. Micrometer creates a timer from it and, with
 * tracing, a span.
 *
 * @param registry receives the observations
 * @param store the store's name
 * @param unobserved replaces this observer if the observation is disabled
 */
public record ObservedEvaluations(ObservationRegistry registry, String store,
		EvaluationObserver unobserved) implements EvaluationObserver {

	@Override
	public Verdict observe(Supplier<Verdict> evaluation) {
		Observation observation = RateLimitObservation.EVALUATION.observation(this.registry)
			.lowCardinalityKeyValue(RateLimitTag.STORE.withValue(this.store));
		if (observation.isNoop()) {
			return this.unobserved.observe(evaluation);
		}
		Observation.Scope outer = this.registry.getCurrentObservationScope();
		try {
			observation.start();
			Observation request = this.registry.getCurrentObservation();
			return observation.scoped(() -> {
				Verdict verdict = evaluation.get();
				describe(verdict, observation, request);
				return verdict;
			});
		}
		finally {
			// An observation handler that throws would leave a scope open or a timer
			// running.
			if (this.registry.getCurrentObservationScope() != outer) {
				this.registry.setCurrentObservationScope(outer);
			}
			observation.stop();
		}
	}

	private static void describe(Verdict verdict, Observation observation, @Nullable Observation request) {
		observation.highCardinalityKeyValue(SpanTag.OUTCOME.withValue(KebabCase.of(verdict.outcome())));
		if (verdict.violated().isEmpty()) {
			return;
		}
		String rules = verdict.violated().stream().map(RuleDecision::rule).collect(Collectors.joining(","));
		observation.highCardinalityKeyValue(SpanTag.RULE.withValue(rules));
		if (request != null) {
			request.highCardinalityKeyValue(SpanTag.RULE.withValue(rules));
		}
	}

}
