package io.tierlimit.actuate;

import java.time.Duration;

import io.tierlimit.limit.FixedWindow;
import io.tierlimit.limit.Limit;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.rule.KebabCase;
import io.tierlimit.rule.PlanLimit;
import org.jspecify.annotations.Nullable;

/**
 * A limit as in the configuration.
 *
 * @param algorithm the name of the algorithm; {@code null} if there is no limit
 * @param rate permits per period, such as {@code 10/s}
 * @param burst permits in a full token bucket
 * @param capacity permits that can add up in a fixed window
 * @param start when fixed windows begin; {@code null} if the windows of each key begin at
 * a different time
 * @param unlimited whether there is no limit
 */
record LimitDescriptor(@Nullable String algorithm, @Nullable String rate, @Nullable Long burst, @Nullable Long capacity,
		@Nullable Duration start, boolean unlimited) {

	static LimitDescriptor of(Limit limit) {
		Long burst = (limit instanceof TokenBucket bucket) ? bucket.burst() : null;
		Long capacity = (limit instanceof FixedWindow window) ? window.capacity() : null;
		Duration start = (limit instanceof FixedWindow window) ? window.start() : null;
		return new LimitDescriptor(KebabCase.of(limit.algorithm()), limit.rate().toString(), burst, capacity, start,
				false);
	}

	static LimitDescriptor of(PlanLimit plan) {
		Limit limit = plan.limit();
		return (limit != null) ? of(limit) : new LimitDescriptor(null, null, null, null, null, true);
	}

}
