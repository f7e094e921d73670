package io.tierlimit.limit;

/**
 * Limits on the permits that are consumed in any time of the length of a period. Permits
 * cannot be reserved.
 */
sealed interface SlidingLimit extends Limit permits SlidingWindow, SlidingLog {

	/** Ticks until the cost, which is at most the capacity, is allowed. */
	long ticksUntil(long cost, BucketState state, long now);

	/** Consumes a cost that is allowed. */
	void consume(BucketState state, long cost, long now);

	@Override
	default Decision acquire(BucketState state, long cost, Overdraft overdraft, long now) {
		if (!allows(state, cost, overdraft, now)) {
			return rejection(state, cost, now);
		}
		consume(state, cost, now);
		return allowance(state, now);
	}

	@Override
	default Decision inspect(BucketState state, long cost, Overdraft overdraft, long now) {
		return allows(state, cost, overdraft, now) ? allowance(state, now) : rejection(state, cost, now);
	}

	private Decision allowance(BucketState state, long now) {
		long left = remaining(state, now);
		return new Decision(true, left, 0, nextPermit(state, left, now), ticksUntil(capacity(), state, now));
	}

	private Decision rejection(BucketState state, long cost, long now) {
		long left = remaining(state, now);
		long wait = (cost > capacity()) ? Decision.NEVER : ticksUntil(cost, state, now);
		return new Decision(false, left, wait, nextPermit(state, left, now), ticksUntil(capacity(), state, now));
	}

	private long nextPermit(BucketState state, long left, long now) {
		return (left == capacity()) ? 0 : ticksUntil(left + 1, state, now);
	}

}
