package io.tierlimit.limit;

import org.jspecify.annotations.Nullable;

/**
 * Limits that count what is spent, and owed beyond what there is: permits that have not
 * come yet can be reserved. What such a bucket owes is paid before anybody else gets
 * anything, so a large reservation is not overtaken by small ones.
 */
sealed interface ReservableLimit extends Limit permits EarningLimit, FixedWindow {

	/**
	 * What is spent and owed once the time since the state's moment has brought its
	 * permits.
	 */
	long spentAt(BucketState state, long now);

	/** What is earned beyond the whole permits that {@link #spentAt} has counted. */
	long earnedAt(BucketState state, long spent, long now);

	/** Ticks until so many more permits have come. */
	long ticksUntil(long permits, BucketState state, long earned, long now);

	/** The least that so many permits can take to come, or more than any overdraft. */
	long leastTicksUntil(long permits);

	/**
	 * What remains of a cost after the permits that came between a moment and now are
	 * subtracted.
	 */
	Remainder remainder(BucketState state, long cost, long at, long now);

	/** What is owed at most: what comes in the longest time that a limit may have. */
	long maxDebt(long debt);

	@Override
	default boolean isReservable() {
		return true;
	}

	@Override
	default long remaining(BucketState state, long now) {
		return Math.max(0, capacity() - spentAt(state, now));
	}

	@Override
	default boolean allows(BucketState state, long cost, Overdraft overdraft, long now) {
		long spent = spentAt(state, now);
		return affords(spent, cost) || reserves(state, spent, earnedAt(state, spent, now), cost, overdraft, now);
	}

	@Override
	default Decision take(BucketState state, long cost, Overdraft overdraft, long now) {
		long spent = spentAt(state, now);
		long earned = earnedAt(state, spent, now);
		if (!affords(spent, cost) && !reserves(state, spent, earned, cost, overdraft, now)) {
			return rejection(state, spent, earned, cost, overdraft, now);
		}
		Decision decision = allowance(state, spent + cost, earned, cost, now);
		if (spent == 0) {
			state.startCount(now);
		}
		write(state, spent + cost, earned, now);
		state.count(cost);
		return decision;
	}

	@Override
	default Decision peek(BucketState state, long cost, Overdraft overdraft, long now) {
		long spent = spentAt(state, now);
		long earned = earnedAt(state, spent, now);
		return (affords(spent, cost) || reserves(state, spent, earned, cost, overdraft, now))
				? allowance(state, spent + cost, earned, cost, now)
				: rejection(state, spent, earned, cost, overdraft, now);
	}

	@Override
	default Decision inspect(BucketState state, long cost, Overdraft overdraft, long now) {
		long spent = spentAt(state, now);
		long earned = earnedAt(state, spent, now);
		return (affords(spent, cost) || reserves(state, spent, earned, cost, overdraft, now))
				? allowance(state, spent, earned, 0, now) : rejection(state, spent, earned, cost, overdraft, now);
	}

	@Override
	default void refund(BucketState state, long cost, @Nullable Receipt receipt, long now) {
		long spent = spentAt(state, now);
		long earned = earnedAt(state, spent, now);
		if (receipt == null) {
			long left = Math.max(0, spent - Math.max(0, cost - debt(spent)));
			write(state, left, (left == 0) ? 0 : earned, now);
		}
		else if (continues(state) && state.counts(receipt)) {
			Remainder back = difference(state, spent, earned, cost, receipt, now);
			long borrow = (earned < back.lacking()) ? 1 : 0;
			long left = Math.max(0, spent - back.permits() + borrow);
			long fraction = earned - back.lacking() + borrow * rate().periodTicks();
			write(state, left, (left == 0) ? 0 : fraction, now);
		}
	}

	/**
	 * The difference that a charge still makes, as far as it is certain.
	 * <p>
	 * Charges that came later can account for no more than they have consumed: what is
	 * missing beyond that is missing because of this charge or earlier ones. And what the
	 * time since has not brought is missing because of this charge, whatever happened to
	 * the others. Both hold whichever of the other charges are refunded, in any order, so
	 * the larger one is refunded. (The first alone would lose permits where requests end
	 * in another order, the second where many are under way and the rate is high.)
	 * <p>
	 * What others have reserved since is not refunded: they must not act together with a
	 * request that consumes what was refunded.
	 */
	private Remainder difference(BucketState state, long spent, long earned, long cost, Receipt receipt, long now) {
		long later = state.charged - receipt.charged();
		if (later == 0) {
			return new Remainder(spent, earned).atMost(cost);
		}
		Remainder missing = (spent > capacity()) ? new Remainder(capacity(), 0) : new Remainder(spent, earned);
		Remainder notBrought = remainder(state, Math.min(cost, 2 * Rate.MAX_PERMITS + 1), receipt.at(), now);
		return missing.less(later).atMost(cost).or(notBrought.less(Math.min(later, debt(spent))));
	}

	private long debt(long spent) {
		return Math.max(0, spent - capacity());
	}

	private boolean affords(long spent, long cost) {
		return cost == 0 || cost <= capacity() - spent;
	}

	private boolean reserves(BucketState state, long spent, long earned, long cost, Overdraft overdraft, long now) {
		long left = capacity() - spent;
		return overdraft.permits() > 0 && cost <= overdraft.permits() + left && canPass(cost, overdraft)
				&& ticksUntil(cost - left, state, earned, now) <= overdraft.ticks();
	}

	@Override
	default boolean canPass(long cost, Overdraft overdraft) {
		return cost <= capacity() || (cost - capacity() <= overdraft.permits()
				&& leastTicksUntil(cost - capacity()) <= overdraft.ticks());
	}

	private Decision allowance(BucketState state, long spent, long earned, long cost, long now) {
		long debt = (cost > 0) ? Math.max(0, spent - capacity()) : 0;
		return new Decision(true, Math.max(0, capacity() - spent), 0, nextPermit(state, spent, earned, now),
				ticksUntil(spent, state, earned, now), ticksUntil(debt, state, earned, now));
	}

	private Decision rejection(BucketState state, long spent, long earned, long cost, Overdraft overdraft, long now) {
		long wait = canPass(cost, overdraft) ? retryAfter(state, spent, earned, cost, overdraft, now) : Decision.NEVER;
		return new Decision(false, Math.max(0, capacity() - spent), wait, nextPermit(state, spent, earned, now),
				ticksUntil(spent, state, earned, now));
	}

	private long retryAfter(BucketState state, long spent, long earned, long cost, Overdraft overdraft, long now) {
		long lacking = cost - (capacity() - spent);
		long soonEnough = ticksUntil(lacking, state, earned, now) - overdraft.ticks();
		long isDebtWithinBound = ticksUntil(Math.max(0, lacking - overdraft.permits()), state, earned, now);
		long wait = Math.max(soonEnough, isDebtWithinBound);
		long full = ticksUntil(spent, state, earned, now);
		if (wait < full || cost <= capacity()) {
			return wait;
		}
		// Once it is full no more is saved: what lacks then comes as late as it does.
		long fromFull = ticksUntil(cost - capacity(), state, 0, Math.max(state.updatedAt, now) + full);
		return full + Math.max(0, fromFull - overdraft.ticks());
	}

	private long nextPermit(BucketState state, long spent, long earned, long now) {
		return ticksUntil(Math.min(spent, Math.max(1, spent - capacity() + 1)), state, earned, now);
	}

	/** What the state says is spent and owed as of its own moment. */
	default long spentBefore(BucketState state) {
		if (state.algorithm != algorithm()) {
			return 0;
		}
		long spent = Math.min(state.spent, capacity());
		return (state.debt == 0) ? spent : spent + maxDebt(state.debt);
	}

	/** Whether the state was written under this limit, as far as it shows. */
	private boolean continues(BucketState state) {
		return state.algorithm == algorithm() && state.period == rate().periodTicks()
				&& state.permits == rate().permits() && state.spent + state.debt == spentBefore(state);
	}

	private void write(BucketState state, long spent, long earned, long now) {
		if (!continues(state) && spentAt(state, now) > 0) {
			state.voidReceipts(now);
		}
		long paid = Math.min(spent, capacity());
		state.write(algorithm(), paid, spent - paid, earned, rate(), now);
	}

}
