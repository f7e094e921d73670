package io.tierlimit.limit;

import org.jspecify.annotations.Nullable;

/**
 * Limits whose permits can be reserved before they are earned. They count consumed
 * permits and, beyond the capacity, debt. A bucket pays its debt before it allows other
 * requests, so a large reservation is not overtaken by small ones.
 */
sealed interface ReservableLimit extends Limit permits EarningLimit, FixedWindow {

	/**
	 * Consumed permits and debt, minus the permits that were earned since the last update
	 * of the state.
	 */
	long consumedAt(BucketState state, long now);

	/**
	 * The fraction earned beyond the whole permits that {@link #consumedAt} has
	 * subtracted.
	 */
	long earnedAt(BucketState state, long consumed, long now);

	/** Ticks until {@code permits} more are earned. */
	long ticksUntil(long permits, BucketState state, long earned, long now);

	/**
	 * The minimum time in which {@code permits} are earned, or more than any overdraft.
	 */
	long leastTicksUntil(long permits);

	/**
	 * The rest of a cost, minus the permits that were earned between {@code at} and now.
	 */
	Remainder remainder(BucketState state, long cost, long at, long now);

	/** Limits the debt to the permits that are earned in {@link Rate#MAX_PERIOD}. */
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
		refund(state, cost, receipt, true, now);
	}

	@Override
	default void refund(BucketState state, long cost, @Nullable Receipt receipt, boolean reserved, long now) {
		long consumed = consumedAt(state, now);
		long earned = earnedAt(state, consumed, now);
		if (receipt == null) {
			long left = Math.max(0, consumed - Math.max(0, cost - debt(consumed)));
			write(state, left, (left == 0) ? 0 : earned, now);
		}
		else if (continues(state) && state.counts(receipt)) {
			Remainder back = difference(state, consumed, earned, cost, receipt, reserved, now);
			long borrow = (earned < back.lacking()) ? 1 : 0;
			long left = Math.max(0, consumed - back.permits() + borrow);
			long fraction = earned - back.lacking() + borrow * rate().periodTicks();
			write(state, left, (left == 0) ? 0 : fraction, now);
		}
	}

	@Override
	default Overrun consume(BucketState state, long permits, long maxDebt, long now) {
		long most = capacity() + maxDebt(Math.min(maxDebt, Rate.MAX_PERMITS));
		if (!continues(state) && state.consumed + state.debt() + state.previous() > 0) {
			return consumeUnderAnotherLimit(state, permits, most);
		}
		long consumed = consumedAt(state, now);
		long earned = earnedAt(state, consumed, now);
		long room = Math.max(0, most - consumed);
		long added = Math.min(permits, room);
		if (added > 0) {
			if (consumed == 0) {
				state.startCount(now);
			}
			write(state, consumed + added, earned, now);
			state.count(added);
		}
		return new Overrun(permits - added, added == room);
	}

	/**
	 * Consumes permits of a bucket that other charges use under another limit, because
	 * the rule or the plan has changed. Only the count rises, as of the last update. The
	 * other limit remains, and the receipts of the other charges remain valid. A bucket
	 * of another algorithm does not change.
	 */
	private Overrun consumeUnderAnotherLimit(BucketState state, long cost, long most) {
		if (!state.isOfAlgorithm(this)) {
			return new Overrun(cost, false);
		}
		long total = state.consumed + state.debt();
		long added = Math.min(cost, Math.max(0, most - total));
		state.addDebt(added);
		state.count(added);
		return new Overrun(cost - added, total + added >= most);
	}

	/**
	 * The permits that the bucket lacks because of a charge, as far as it is certain.
	 * <p>
	 * There are two lower bounds. First, later charges can account for no more permits
	 * than they have consumed: all further missing permits are missing because of this
	 * charge or earlier ones. Second, the permits of this charge that were not earned
	 * since are missing because of this charge, whatever happened to other charges. Both
	 * bounds remain true if other charges are refunded, in any order, so the larger
	 * number is refunded. (The first bound alone would lose permits if requests end in
	 * another order, the second if many requests are in progress and the rate is high.)
	 * <p>
	 * Permits that later reservations rely on are not refunded, so that no permit is used
	 * twice. Debt without reservations is the debt of permits that were already used.
	 */
	private Remainder difference(BucketState state, long consumed, long earned, long cost, Receipt receipt,
			boolean reserved, long now) {
		long later = state.charged - receipt.charged();
		if (later == 0) {
			return new Remainder(consumed, earned).atMost(cost);
		}
		long kept = reserved ? debt(consumed) : 0;
		Remainder missing = (kept > 0) ? new Remainder(capacity(), 0) : new Remainder(consumed, earned);
		Remainder notRefilled = remainder(state, Math.min(cost, 2 * Rate.MAX_PERMITS + 1), receipt.at(), now);
		return missing.less(later).atMost(cost).or(notRefilled.less(Math.min(later, kept)));
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
		// A full bucket saves no further permits, so the missing ones are earned later.
		long fromFull = ticksUntil(cost - capacity(), state, 0, Math.max(state.updatedAt, now) + full);
		return full + Math.max(0, fromFull - overdraft.ticks());
	}

	private long nextPermit(BucketState state, long consumed, long earned, long now) {
		return ticksUntil(Math.min(consumed, Math.max(1, consumed - capacity() + 1)), state, earned, now);
	}

	/** Consumed permits and debt at the last update of the state. */
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
