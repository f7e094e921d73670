package io.tierlimit.limit;

import java.math.BigInteger;

/**
 * A token bucket in exact fractions, as the laws define it: slow and obvious. The number
 * of consumed permits is a fraction, so it does not depend on a limit.
 */
final class ExactTokenBucket {

	private BigInteger used = BigInteger.ZERO;

	private BigInteger unit = BigInteger.ONE;

	private long updatedAt = Long.MIN_VALUE;

	Decision acquire(TokenBucket limit, long cost, long now) {
		BigInteger after = usedAt(limit, now).add(permits(limit, cost));
		Decision decision = peek(limit, cost, now);
		if (decision.allowed()) {
			keep(limit, after, now);
		}
		return decision;
	}

	Decision peek(TokenBucket limit, long cost, long now) {
		BigInteger before = usedAt(limit, now);
		BigInteger missing = before.add(permits(limit, cost)).subtract(permits(limit, limit.burst()));
		if (cost == 0 || missing.signum() <= 0) {
			return decision(limit, before.add(permits(limit, cost)), true, 0);
		}
		return decision(limit, before, false, (cost > limit.burst()) ? Decision.NEVER : ticks(limit, missing));
	}

	void refund(TokenBucket limit, long cost, long now) {
		keep(limit, usedAt(limit, now).subtract(permits(limit, cost)).max(BigInteger.ZERO), now);
	}

	void reset(TokenBucket limit, long now) {
		keep(limit, BigInteger.ZERO, now);
	}

	private BigInteger usedAt(TokenBucket limit, long now) {
		BigInteger elapsed = BigInteger.valueOf(now).subtract(BigInteger.valueOf(this.updatedAt)).max(BigInteger.ZERO);
		return ceil(this.used.multiply(unit(limit)), this.unit).min(permits(limit, limit.burst()))
			.subtract(elapsed.multiply(BigInteger.valueOf(limit.rate().permits())))
			.max(BigInteger.ZERO);
	}

	private void keep(TokenBucket limit, BigInteger used, long now) {
		this.used = used;
		this.unit = unit(limit);
		this.updatedAt = Math.max(this.updatedAt, now);
	}

	private static Decision decision(TokenBucket limit, BigInteger used, boolean allowed, long wait) {
		BigInteger left = permits(limit, limit.burst()).subtract(used);
		long remaining = left.divide(unit(limit)).longValueExact();
		BigInteger toNext = permits(limit, remaining + 1).subtract(left).min(used);
		return new Decision(allowed, remaining, wait, ticks(limit, toNext), ticks(limit, used));
	}

	private static BigInteger permits(TokenBucket limit, long permits) {
		return BigInteger.valueOf(permits).multiply(unit(limit));
	}

	private static BigInteger unit(TokenBucket limit) {
		return BigInteger.valueOf(limit.rate().periodTicks());
	}

	private static long ticks(TokenBucket limit, BigInteger used) {
		return ceil(used, BigInteger.valueOf(limit.rate().permits())).longValueExact();
	}

	private static BigInteger ceil(BigInteger dividend, BigInteger divisor) {
		return dividend.add(divisor).subtract(BigInteger.ONE).divide(divisor);
	}

}
