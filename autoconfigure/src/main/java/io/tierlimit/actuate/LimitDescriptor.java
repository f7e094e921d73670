package io.tierlimit.actuate;

import io.tierlimit.limit.Limit;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.rule.PlanLimit;

import org.jspecify.annotations.Nullable;

/**
 * A limit as an operator wrote it.
 *
 * @param algorithm the name of the algorithm; {@code null} if there is no limit
 * @param rate permits per period, such as {@code 10/s}
 * @param burst permits that a full bucket holds
 * @param unlimited whether there is no limit
 */
public record LimitDescriptor(@Nullable String algorithm, @Nullable String rate, @Nullable Long burst,
		boolean unlimited) {

	static LimitDescriptor of(Limit limit) {
		TokenBucket bucket = (TokenBucket) limit;
		return new LimitDescriptor("token-bucket", bucket.rate().toString(), bucket.burst(), false);
	}

	static LimitDescriptor of(PlanLimit plan) {
		Limit limit = plan.limit();
		return (limit != null) ? of(limit) : new LimitDescriptor(null, null, null, true);
	}

}
