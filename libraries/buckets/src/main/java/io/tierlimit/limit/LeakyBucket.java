package io.tierlimit.limit;

import java.math.BigDecimal;

/**
 * One permit at a time, at constant intervals: nothing is saved.
 * <p>
 * In any window of length w at most 1 + rate * w permits are consumed. A request that
 * arrives too early is rejected, or queues. Queuing is an {@link Overdraft}: queued
 * requests count one interval after the other. A cost above 1 has to queue for the rest
 * of it.
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
