package io.tierlimit.metrics;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.tierlimit.Verdict;
import io.tierlimit.evaluation.EvaluationObserver;
import io.tierlimit.metrics.RateLimitMeter.RateLimitTag;

/**
 * Times every evaluation.
 */
public final class TimedEvaluations implements EvaluationObserver {

	private final Timer timer;

	/**
	 * Creates an observer.
	 * @param registry the registry of the timer
	 * @param store the store's name
	 */
	public TimedEvaluations(MeterRegistry registry, String store) {
		// The timer has the tags of the observation, so that both have the same meter.
		this.timer = Timer.builder(RateLimitMeter.EVALUATION.getName())
			.description("Evaluations of stages of requests, and of calls")
			.tags(List.of(RateLimitTag.STORE.of(store), RateLimitTag.ERROR.of("none")))
			.register(registry);
	}

	@Override
	public Verdict observe(Supplier<Verdict> evaluation) {
		long start = System.nanoTime();
		try {
			return evaluation.get();
		}
		finally {
			this.timer.record(System.nanoTime() - start, TimeUnit.NANOSECONDS);
		}
	}

}
