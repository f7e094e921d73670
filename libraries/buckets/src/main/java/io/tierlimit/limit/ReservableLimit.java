package io.tierlimit.limit;

import org.jspecify.annotations.Nullable;

/**
 * Limits that count consumed permits and, beyond the capacity, debt: permits can be
 * reserved before they are earned. A bucket pays its debt before it allows other
 * requests, so a large reservation is not overtaken by small ones.
 */
sealed interface ReservableLimit extends Limit permits EarningLimit, FixedWindow {

	/**
	 * Consumed permits and debt, after the permits that were earned since the state's
	 * moment are subtracted.
	 */
	long consumedAt(BucketState state, long now);

	/**
	 * The fraction earned beyond the whole permits that {@link #consumedAt} has
	 * subtracted.
	 */
	long earnedAt(BucketState state, long consumed, long now);

	/** Ticks until so many more permits are earned. */
	long ticksUntil(long permits, BucketState state, long earned, long now);

	/**
	 * The minimum time in which so many permits are earned, or more than any overdraft.
	 */
	long leastTicksUntil(long permits);

	/**
	 * The rest of a cost after the permits that were earned between a moment and now are
	 * subtracted.
	 */
	Remainder remainder(BucketState state, long cost, long at, long now);

	/** Limits the debt to the permits that are earned in the longest time of a limit. */
	long maxDebt(long debt);

	@Override
	default boolean isReservable() {
		return true;
	}

	@Override
	default long remaining(BucketState state, long now) {
		return Math.max(0, capacity() - consumedAt(state, now));
	}

	@Override
	default boolean allows(BucketState state, long cost, Overdraft overdraft, long now) {
		// Refilling only adds permits, so the common case needs no division.
		if (hasPermits(consumedBefore(state), cost)) {
			return true;
		}
		long consumed = consumedAt(state, now);
		return hasPermits(consumed, cost)
				|| reserves(state, consumed, earnedAt(state, consumed, now), cost, overdraft, now);
	}

	@Override
	default Decision acquire(BucketState state, long cost, Overdraft overdraft, long now) {
		long consumed = consumedAt(state, now);
		long earned = earnedAt(state, consumed, now);
		if (!hasPermits(consumed, cost) && !reserves(state, consumed, earned, cost, overdraft, now)) {
			return rejection(state, consumed, earned, cost, overdraft, now);
		}
		Decision decision = allowance(state, consumed + cost, earned, cost, now);
		if (consumed == 0) {
			state.startCount(now);
		}
		write(state, consumed + cost, earned, now);
		state.count(cost);
		return decision;
	}

	@Override
	default Decision peek(BucketState state, long cost, Overdraft overdraft, long now) {
		long consumed = consumedAt(state, now);
		long earned = earnedAt(state, consumed, now);
		return (hasPermits(consumed, cost) || reserves(state, consumed, earned, cost, overdraft, now))
				? allowance(state, consumed + cost, earned, cost, now)
				: rejection(state, consumed, earned, cost, overdraft, now);
	}

	@Override
	default Decision inspect(BucketState state, long cost, Overdraft overdraft, long now) {
		long consumed = consumedAt(state, now);
		long earned = earnedAt(state, consumed, now);
		return (hasPermits(consumed, cost) || reserves(state, consumed, earned, cost, overdraft, now))
				? allowance(state, consumed, earned, 0, now) : rejection(state, consumed, earned, cost, overdraft, now);
	}

	@Override
	default void refund(BucketState state, long cost, @Nullable Receipt receipt, long now) {
		long consumed = consumedAt(state, now);
		long earned = earnedAt(state, consumed, now);
		if (receipt == null) {
			long left = Math.max(0, consumed - Math.max(0, cost - debt(consumed)));
			write(state, left, (left == 0) ? 0 : earned, now);
		}
		else if (continues(state) && state.counts(receipt)) {
			Remainder back = difference(state, consumed, earned, cost, receipt, now);
			long borrow = (earned < back.lacking()) ? 1 : 0;
			long left = Math.max(0, consumed - back.permits() + borrow);
			long fraction = earned - back.lacking() + borrow * rate().periodTicks();
			write(state, left, (left == 0) ? 0 : fraction, now);
		}
	}

	/**
	 * The difference that a charge still makes, as far as it is certain.
	 * <p>
	 * Later charges can account for no more than they have consumed: permits missing
	 * beyond that are missing because of this charge or earlier ones. And the permits of
	 * this charge that were not earned since are missing because of this charge, whatever
	 * happened to the others. Both statements remain true if any of the other charges are
	 * refunded, in any order, so the larger number is refunded. (The first alone would
	 * lose permits where requests end in another order, the second where many are in
	 * progress and the rate is high.)
	 * <p>
	 * Permits that later reservations rely on are not refunded, so that both cannot use
	 * them.
	 */
	private Remainder difference(BucketState state, long consumed, long earned, long cost, Receipt receipt, long now) {
		long later = state.charged - receipt.charged();
		if (later == 0) {
			return new Remainder(consumed, earned).atMost(cost);
		}
		Remainder missing = (consumed > capacity()) ? new Remainder(capacity(), 0) : new Remainder(consumed, earned);
		Remainder notRefilled = remainder(state, Math.min(cost, 2 * Rate.MAX_PERMITS + 1), receipt.at(), now);
		return missing.less(later).atMost(cost).or(notRefilled.less(Math.min(later, debt(consumed))));
	}

	private long debt(long consumed) {
		return Math.max(0, consumed - capacity());
	}

	private boolean hasPermits(long consumed, long cost) {
		return cost == 0 || cost <= capacity() - consumed;
	}

	private boolean reserves(BucketState state, long consumed, long earned, long cost, Overdraft overdraft, long now) {
		long left = capacity() - consumed;
		return overdraft.permits() > 0 && cost <= overdraft.permits() + left && canPass(cost, overdraft)
				&& ticksUntil(cost - left, state, earned, now) <= overdraft.ticks();
	}

	@Override
	default boolean canPass(long cost, Overdraft overdraft) {
		return cost <= capacity() || (cost - capacity() <= overdraft.permits()
				&& leastTicksUntil(cost - capacity()) <= overdraft.ticks());
	}

	/** The decision on a charge that is included in the consumed permits and debt. */
	default Decision allowance(BucketState state, long consumed, long earned, long cost, long now) {
		long debt = (cost > 0) ? Math.max(0, consumed - capacity()) : 0;
		return new Decision(true, Math.max(0, capacity() - consumed), 0, nextPermit(state, consumed, earned, now),
				ticksUntil(consumed, state, earned, now), ticksUntil(debt, state, earned, now));
	}

	private Decision rejection(BucketState state, long consumed, long earned, long cost, Overdraft overdraft,
			long now) {
		long wait = canPass(cost, overdraft) ? retryAfter(state, consumed, earned, cost, overdraft, now)
				: Decision.NEVER;
		return new Decision(false, Math.max(0, capacity() - consumed), wait, nextPermit(state, consumed, earned, now),
				ticksUntil(consumed, state, earned, now));
	}

	private long retryAfter(BucketState state, long consumed, long earned, long cost, Overdraft overdraft, long now) {
		long lacking = cost - (capacity() - consumed);
		long untilTimeFits = ticksUntil(lacking, state, earned, now) - overdraft.ticks();
		long untilDebtFits = ticksUntil(Math.max(0, lacking - overdraft.permits()), state, earned, now);
		long wait = Math.max(untilTimeFits, untilDebtFits);
		long full = ticksUntil(consumed, state, earned, now);
		if (wait < full || cost <= capacity()) {
			return wait;
		}
		// A full bucket saves no more: the missing permits cannot be earned earlier.
		long fromFull = ticksUntil(cost - capacity(), state, 0, Math.max(state.updatedAt, now) + full);
		return full + Math.max(0, fromFull - overdraft.ticks());
	}

	private long nextPermit(BucketState state, long consumed, long earned, long now) {
		return ticksUntil(Math.min(consumed, Math.max(1, consumed - capacity() + 1)), state, earned, now);
	}

	/** Consumed permits and debt as of the state's own moment. */
	default long consumedBefore(BucketState state) {
		if (!state.isOfAlgorithm(this)) {
			return 0;
		}
		long consumed = Math.min(state.consumed, capacity());
		long debt = state.debt();
		return (debt == 0) ? consumed : consumed + maxDebt(debt);
	}

	/** Whether the state was written under this limit, as far as its numbers show. */
	private boolean continues(BucketState state) {
		return state.isOfRate(this) && state.consumed + state.debt() == consumedBefore(state);
	}

	private void write(BucketState state, long consumed, long earned, long now) {
		if (!continues(state) && consumedAt(state, now) > 0) {
			state.voidReceipts(now);
		}
		long withinCapacity = Math.min(consumed, capacity());
		state.write(this, withinCapacity, consumed - withinCapacity, earned, now);
	}

}
