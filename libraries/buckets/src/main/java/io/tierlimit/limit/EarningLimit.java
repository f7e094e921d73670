package io.tierlimit.limit;

/**
 * Limits whose permits are earned one after the other at a constant rate.
 * <p>
 * With p permits per T ticks, e ticks earn e * p / T permits. The state stores whole
 * permits and the remainder in 1/T permits, so no fraction is ever lost. Waits are
 * rounded up to whole ticks, so that a client that waits exactly this long is allowed.
 */
sealed interface EarningLimit extends ReservableLimit permits TokenBucket, LeakyBucket {

	@Override
	default long timeToFull() {
		return ticksToEarn(capacity(), 0);
	}

	@Override
	default long quotaWindow() {
		return timeToFull();
	}

	@Override
	default long quotaWindow(Decision decision) {
		return (decision.remaining() > 0) ? ticksToEarn(decision.remaining(), 0) : decision.nextPermitTicks();
	}

	@Override
	default long ticksUntil(long permits, BucketState state, long earned, long now) {
		return ticksToEarn(permits, earned);
	}

	@Override
	default long leastTicksUntil(long permits) {
		double ticks = (double) permits * rate().periodTicks() / rate().permits();
		return (ticks > Rate.MAX_TICKS + 1.0) ? Decision.NEVER : ticksToEarn(permits, 0);
	}

	@Override
	default Remainder remainder(BucketState state, long cost, long at, long now) {
		long elapsed = Math.max(state.updatedAt, now) - at;
		long permits = rate().permits();
		long period = rate().periodTicks();
		if ((double) elapsed * permits / period >= cost + 1.0) {
			return Remainder.NONE;
		}
		long earned = WideDivision.floor(elapsed, permits, 0, period);
		// Exact in wrapping arithmetic: the result is smaller than the period.
		return (earned < cost) ? new Remainder(cost - earned, elapsed * permits - earned * period) : Remainder.NONE;
	}

	@Override
	default long maxDebt(long debt) {
		return (leastTicksUntil(debt) <= Rate.MAX_TICKS) ? debt
				: WideDivision.floor(Rate.MAX_TICKS, rate().permits(), 0, rate().periodTicks());
	}

	@Override
	default Decision allowance(BucketState state, long consumed, long earned, long cost, long now) {
		return (consumed <= capacity()) ? Decision.allowed(this, consumed, earned)
				: ReservableLimit.super.allowance(state, consumed, earned, cost, now);
	}

	/**
	 * Ticks until {@code permits} are earned; a fraction of them has already been earned.
	 */
	default long ticksToEarn(long permits, long earned) {
		return (permits == 0) ? 0 : WideDivision.ceil(permits, rate().periodTicks(), -earned, rate().permits());
	}

	@Override
	default long consumedAt(BucketState state, long now) {
		long consumed = consumedBefore(state);
		long elapsed = now - state.updatedAt;
		if (consumed == 0 || elapsed <= 0) {
			return consumed;
		}
		long permits = rate().permits();
		long period = rate().periodTicks();
		if ((double) elapsed * permits >= (consumed + 1.0) * period) {
			return 0;
		}
		return Math.max(0, consumed - WideDivision.floor(elapsed, permits, earnedBefore(state, consumed), period));
	}

	@Override
	default long earnedAt(BucketState state, long consumed, long now) {
		if (consumed == 0) {
			return 0;
		}
		long elapsed = Math.max(0, now - state.updatedAt);
		long before = consumedBefore(state);
		long back = before - consumed;
		return earnedBefore(state, before) + elapsed * rate().permits() - back * rate().periodTicks();
	}

	/**
	 * The earned fraction of the state, converted to this rate's period and rounded in
	 * the caller's disfavor.
	 */
	private long earnedBefore(BucketState state, long consumed) {
		if (state.consumed + state.debt() > consumed) {
			return 0;
		}
		long period = rate().periodTicks();
		return state.isOfPeriod(this) ? state.earned : WideDivision.floor(state.earned, period, 0, state.period());
	}

}
