package io.tierlimit.store.shard;

import java.math.BigInteger;

import io.tierlimit.limit.Decision;
import io.tierlimit.limit.FixedWindow;
import io.tierlimit.limit.Limit;

/**
 * The level of a shard as this instance last saw it. The methods calculate what the shard
 * contains at a later time if no other instance has charged it in the meantime.
 *
 * @param remaining the permits at that time; -1 if the shard could not be reached
 * @param nextPermitAt the time in ticks at which there was one permit more
 * @param fullAt the time in ticks at which the shard was full
 */
record ShardLevel(long remaining, long nextPermitAt, long fullAt) {

	/** The level of a shard that this instance has not seen. */
	static final ShardLevel FULL = new ShardLevel(0, Long.MIN_VALUE, Long.MIN_VALUE);

	/** The level of a shard that could not be reached, and is avoided until a time. */
	static ShardLevel unreachable(long until) {
		return new ShardLevel(-1, until, until);
	}

	static ShardLevel of(Decision decision, long now) {
		return new ShardLevel(decision.remaining(), now + decision.nextPermitTicks(), now + decision.resetTicks());
	}

	/** The permits at a time; -1 if the shard is avoided. */
	long permits(Limit limit, long now) {
		if (now >= this.fullAt) {
			return limit.capacity();
		}
		return Math.min(limit.capacity(), this.remaining + refilled(limit, now));
	}

	/** The permits that were refilled between the time of the level and a later time. */
	private long refilled(Limit limit, long now) {
		if (now < this.nextPermitAt) {
			return 0;
		}
		long elapsed = now - this.nextPermitAt;
		long permits = limit.rate().permits();
		long period = limit.rate().periodTicks();
		return (limit instanceof FixedWindow) ? scaled(1 + elapsed / period, permits, 1, false)
				: 1 + scaled(elapsed, permits, period, false);
	}

	/** The ticks from a time until the shard has a number of permits. */
	long ticksUntil(long permits, Limit limit, long now) {
		if (permits > limit.capacity()) {
			return Decision.NEVER;
		}
		long lacking = permits - this.remaining;
		if (lacking <= 0 || now >= this.fullAt) {
			return 0;
		}
		long perPeriod = limit.rate().permits();
		long period = limit.rate().periodTicks();
		long later = (limit instanceof FixedWindow) ? (lacking - 1) / perPeriod * period
				: scaled(lacking - 1, period, perPeriod, true);
		return Math.max(0, Math.min(this.fullAt, this.nextPermitAt + later) - now);
	}

	/** The ticks from a time until the shard has one permit more; 0 if it is full. */
	long ticksUntilNextPermit(Limit limit, long now) {
		return ticksUntil(Math.min(limit.capacity(), permits(limit, now) + 1), limit, now);
	}

	/** The ticks from a time until the shard is full. */
	long ticksUntilFull(long now) {
		return (now >= this.fullAt) ? 0 : this.fullAt - now;
	}

	private static long scaled(long number, long factor, long divisor, boolean up) {
		if (Math.multiplyHigh(number, factor) == 0 && number * factor >= 0) {
			long product = number * factor;
			return product / divisor + ((up && product % divisor > 0) ? 1 : 0);
		}
		BigInteger[] result = BigInteger.valueOf(number)
			.multiply(BigInteger.valueOf(factor))
			.divideAndRemainder(BigInteger.valueOf(divisor));
		return result[0].min(BigInteger.valueOf(Long.MAX_VALUE / 4)).longValue()
				+ ((up && result[1].signum() > 0) ? 1 : 0);
	}

}
