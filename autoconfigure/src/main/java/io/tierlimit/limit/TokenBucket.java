package io.tierlimit.limit;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.time.Duration;
import java.time.temporal.ChronoUnit;

/**
 * Permits are earned at a constant rate and saved up to a burst; full at first sight.
 * <p>
 * In any window of length w at most burst + rate * w permits are paid. With p permits per
 * T ticks, e ticks earn e * p / T permits; the state keeps whole permits and the
 * remainder in 1/T permits, so no fraction is ever lost. Waits are rounded up to whole
 * ticks: whoever waits that long passes.
 *
 * @param rate how fast permits are earned
 * @param burst how many can be saved: 1 to 10<sup>12</sup>, and at the given rate earned
 * within 3,650 days
 */
public record TokenBucket(Rate rate, long burst) implements Limit {

	/**
	 * Creates a token bucket.
	 * @throws IllegalArgumentException if the burst is outside of what is accepted
	 */
	public TokenBucket {
		if (burst < 1 || burst > Rate.MAX_PERMITS) {
			throw new IllegalArgumentException("A burst needs 1 to " + Rate.MAX_PERMITS + " permits but had " + burst);
		}
		BigInteger earningTime = BigInteger.valueOf(burst).multiply(BigInteger.valueOf(rate.periodTicks()));
		BigInteger longest = BigInteger.valueOf(new Rate(1, Rate.MAX_PERIOD).periodTicks());
		if (earningTime.compareTo(longest.multiply(BigInteger.valueOf(rate.permits()))) > 0) {
			throw new IllegalArgumentException("A burst of " + burst + " permits takes more than "
					+ Rate.MAX_PERIOD.toDays() + " days to refill at " + rate.permits() + " per " + rate.period());
		}
	}

	/**
	 * Creates a token bucket that saves what one period earns.
	 * @param rate how fast permits are earned
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
	public long timeToFull() {
		return ticksToEarn(this.burst, 0);
	}

	@Override
	public long quotaWindow() {
		return timeToFull();
	}

	@Override
	public long quotaWindow(Decision decision) {
		return (decision.remaining() > 0) ? ticksToEarn(decision.remaining(), 0) : decision.nextPermitTicks();
	}

	@Override
	public long remaining(BucketState state, long now) {
		return Math.max(0, this.burst - spentAt(state, now));
	}

	@Override
	public boolean allows(BucketState state, long cost, long now) {
		return affords(spentAt(state, now), cost);
	}

	@Override
	public Decision take(BucketState state, long cost, long now) {
		long spent = spentAt(state, now);
		long earned = earnedAt(state, spent, now);
		if (!affords(spent, cost)) {
			return refusal(spent, earned, cost);
		}
		write(state, spent + cost, earned, now);
		return allowance(spent + cost, earned);
	}

	@Override
	public Decision peek(BucketState state, long cost, long now) {
		long spent = spentAt(state, now);
		long earned = earnedAt(state, spent, now);
		return affords(spent, cost) ? allowance(spent + cost, earned) : refusal(spent, earned, cost);
	}

	@Override
	public Decision leave(BucketState state, long cost, long now) {
		long spent = spentAt(state, now);
		long earned = earnedAt(state, spent, now);
		return affords(spent, cost) ? allowance(spent, earned) : refusal(spent, earned, cost);
	}

	@Override
	public void refund(BucketState state, long cost, long now) {
		long spent = spentAt(state, now);
		long earned = earnedAt(state, spent, now);
		long left = Math.max(0, spent - cost);
		write(state, left, (left == 0) ? 0 : earned, now);
	}

	@Override
	public void reset(BucketState state, long now) {
		write(state, 0, 0, now);
	}

	@Override
	public TokenBucket share(BigDecimal share, long atLeast) {
		BigDecimal whole = BigDecimal.valueOf(this.burst);
		long part = Math.max(1, whole.multiply(share).longValue());
		long capacity = Math.max(part, Math.min(atLeast, this.burst));
		BigDecimal slower = BigDecimal.valueOf(this.rate.periodTicks()).divide(share, RoundingMode.CEILING);
		BigDecimal longest = BigDecimal.valueOf(Rate.MAX_PERIOD.toSeconds()).multiply(BigDecimal.valueOf(1_000_000));
		BigDecimal slowest = longest.multiply(BigDecimal.valueOf(this.rate.permits()))
			.divide(BigDecimal.valueOf(capacity), RoundingMode.FLOOR);
		long period = slower.min(longest).min(slowest).longValueExact();
		return new TokenBucket(new Rate(this.rate.permits(), Duration.of(period, ChronoUnit.MICROS)), capacity);
	}

	private boolean affords(long spent, long cost) {
		return cost == 0 || cost <= this.burst - spent;
	}

	private Decision allowance(long spent, long earned) {
		return new Decision(true, Math.max(0, this.burst - spent), 0, nextPermit(spent, earned),
				ticksToEarn(spent, earned));
	}

	private Decision refusal(long spent, long earned, long cost) {
		long wait = (cost > this.burst) ? Decision.NEVER : ticksToEarn(cost - (this.burst - spent), earned);
		return new Decision(false, Math.max(0, this.burst - spent), wait, nextPermit(spent, earned),
				ticksToEarn(spent, earned));
	}

	private long nextPermit(long spent, long earned) {
		return ticksToEarn(Math.min(spent, Math.max(1, spent - this.burst + 1)), earned);
	}

	private long ticksToEarn(long permits, long earned) {
		return WideDivision.ceil(permits, this.rate.periodTicks(), -earned, this.rate.permits());
	}

	/** What is spent once the time since the state's moment has earned its permits. */
	private long spentAt(BucketState state, long now) {
		long spent = (state.algorithm == Algorithm.TOKEN_BUCKET) ? Math.min(state.spent, this.burst) : 0;
		long elapsed = now - state.asOf;
		if (spent == 0 || elapsed <= 0) {
			return spent;
		}
		long earned = earnedBefore(state);
		if (elapsed >= ticksToEarn(spent, earned)) {
			return 0;
		}
		return spent - WideDivision.floor(elapsed, this.rate.permits(), earned, this.rate.periodTicks());
	}

	/** What is earned beyond the whole permits that {@link #spentAt} has counted. */
	private long earnedAt(BucketState state, long spent, long now) {
		if (spent == 0) {
			return 0;
		}
		long elapsed = Math.max(0, now - state.asOf);
		long back = Math.min(state.spent, this.burst) - spent;
		return earnedBefore(state) + elapsed * this.rate.permits() - back * this.rate.periodTicks();
	}

	/** The state's own fraction, in this rate's parts, rounded against the caller. */
	private long earnedBefore(BucketState state) {
		if (state.spent > this.burst) {
			return 0;
		}
		long period = this.rate.periodTicks();
		return (state.period == period) ? state.earned : WideDivision.floor(state.earned, period, 0, state.period);
	}

	private void write(BucketState state, long spent, long earned, long now) {
		state.write(Algorithm.TOKEN_BUCKET, spent, earned, this.rate.periodTicks(), now);
	}

}
