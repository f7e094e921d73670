package io.tierlimit.actuate;

import java.time.Duration;

import io.tierlimit.limit.Concurrency;
import io.tierlimit.limit.FixedWindow;
import io.tierlimit.limit.Limit;
import io.tierlimit.rule.KebabCase;
import io.tierlimit.rule.PlanLimit;
import org.jspecify.annotations.Nullable;

/**
 * A limit as in the configuration.
 *
 * @param algorithm the name of the algorithm; {@code null} if there is no limit
 * @param rate permits per period, such as {@code 10/s}; {@code null} for concurrency
 * @param burst permits that a token bucket or a fixed window can save; {@code null} for
 * another algorithm
 * @param limit permits that can be in use at the same time; {@code null} for another
 * algorithm than concurrency
 * @param maxDuration the longest time for which a request counts; {@code null} for
 * another algorithm than concurrency
 * @param retryAfterHint the wait that rejected requests report; {@code null} if it is not
 * set, and for another algorithm than concurrency
 * @param window the fixed windows; {@code null} if each key has its own start of windows,
 * and for another algorithm
 * @param unlimited whether there is no limit
 */
record LimitDescriptor(@Nullable String algorithm, @Nullable String rate, @Nullable Long burst, @Nullable Long limit,
		@Nullable Duration maxDuration, @Nullable Duration retryAfterHint, @Nullable WindowDescriptor window,
		boolean unlimited) {

	static LimitDescriptor of(Limit limit) {
		String algorithm = KebabCase.of(limit.algorithm());
		if (limit instanceof Concurrency concurrency) {
			Duration hint = concurrency.retryHint();
			return new LimitDescriptor(algorithm, null, null, limit.capacity(), concurrency.maxDuration(),
					hint.isZero() ? null : hint, null, false);
		}
		Long burst = limit.algorithm().hasBurst() ? limit.capacity() : null;
		return new LimitDescriptor(algorithm, limit.rate().toString(), burst, null, null, null, window(limit), false);
	}

	static LimitDescriptor of(PlanLimit plan) {
		Limit limit = plan.limit();
		return (limit != null) ? of(limit) : new LimitDescriptor(null, null, null, null, null, null, null, true);
	}

	private static @Nullable WindowDescriptor window(Limit limit) {
		Duration start = (limit instanceof FixedWindow window) ? window.start() : null;
		return (start != null) ? new WindowDescriptor(start) : null;
	}

	/**
	 * Fixed windows as in the configuration.
	 *
	 * @param start the start of a window: an offset from 1970-01-01T00:00Z
	 */
	record WindowDescriptor(Duration start) {

	}

}
