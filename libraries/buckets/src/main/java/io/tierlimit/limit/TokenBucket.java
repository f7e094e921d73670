package io.tierlimit.limit;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;

/**
 * Permits are earned at a constant rate and saved up to a burst. A new bucket is full.
 * <p>
 * At most burst + rate * w permits are consumed in any window of length w.
 *
 * @param rate the rate at which permits are earned
 * @param burst the permits that can be saved: 1 to 10<sup>12</sup>, and at the given rate
 * earned within 3,650 days
 */
public record TokenBucket(Rate rate, long burst) implements EarningLimit {

	/**
	 * Creates a token bucket.
	 * @throws IllegalArgumentException if the burst is out of range
	 */
	public TokenBucket {
		if (burst < 1 || burst > Rate.MAX_PERMITS) {
			throw new IllegalArgumentException(
					"burst must be 1 to " + Rate.MAX_PERMITS + " permits (was " + burst + ")");
		}
		BigInteger earningTime = BigInteger.valueOf(burst).multiply(BigInteger.valueOf(rate.periodTicks()));
		if (earningTime
			.compareTo(BigInteger.valueOf(Rate.MAX_TICKS).multiply(BigInteger.valueOf(rate.permits()))) > 0) {
			throw new IllegalArgumentException("burst must refill within " + Rate.MAX_PERIOD.toDays() + " days at "
					+ rate + " (was " + burst + ")");
		}
	}

	/**
	 * Creates a token bucket whose burst is the permits of one period.
	 * @param rate the rate at which permits are earned
	 */
	public TokenBucket(Rate rate) {
		this(rate, rate.permits());
	}

	@Override
	public Algorithm algorithm() {
		return Algorithm.TOKEN_BUCKET;
	}

	@Override
	public long capacity() {
		return this.burst;
	}

	@Override
	public TokenBucket scale(BigDecimal fraction, long atLeast) {
		BigDecimal whole = BigDecimal.valueOf(this.burst);
		long part = Math.max(1, whole.multiply(fraction).longValue());
		long capacity = Math.max(part, Math.min(atLeast, this.burst));
		BigDecimal longest = BigDecimal.valueOf(Rate.MAX_TICKS);
		BigDecimal slowest = longest.multiply(BigDecimal.valueOf(this.rate.permits()))
			.divide(BigDecimal.valueOf(capacity), RoundingMode.FLOOR);
		return new TokenBucket(this.rate.slower(fraction, slowest.min(longest).longValueExact()), capacity);
	}

}
