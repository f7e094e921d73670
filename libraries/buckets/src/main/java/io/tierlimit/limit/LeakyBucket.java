package io.tierlimit.limit;

import java.math.BigDecimal;

/**
 * One permit at a time, at constant intervals. Unused permits are not saved.
 * <p>
 * At most 1 + rate * w permits are consumed in any window of length w. A request that
 * arrives too early is rejected, or waits in a queue. A place in the queue is an
 * {@link Overdraft}: the waiting requests are allowed one interval after the other. A
 * cost above 1 waits for all permits except the first.
 *
 * @param rate the rate at which permits are earned
 */
public record LeakyBucket(Rate rate) implements EarningLimit {

	@Override
	public Algorithm algorithm() {
		return Algorithm.LEAKY_BUCKET;
	}

	@Override
	public long capacity() {
		return 1;
	}

	@Override
	public LeakyBucket scale(BigDecimal fraction, long atLeast) {
		return new LeakyBucket(this.rate.slower(fraction, Rate.MAX_TICKS));
	}

}
