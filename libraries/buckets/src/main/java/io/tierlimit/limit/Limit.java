package io.tierlimit.limit;

import java.math.BigDecimal;

import org.jspecify.annotations.Nullable;

/**
 * The arithmetic of a bucket: an algorithm with its numbers. Immutable; a function of
 * state, cost and time.
 * <p>
 * Times are ticks (microseconds) of any one clock. A time before the state's last update
 * is treated as the time of that update: a clock that runs backwards adds no permits. A
 * state that was written under another limit of the same algorithm keeps its consumed
 * permits, up to this limit's capacity, and refills at this limit's rate. A state of
 * another algorithm is treated as full.
 */
public sealed interface Limit extends Origin permits ReservableLimit, SlidingLimit, Concurrency {

	/**
	 * The algorithm.
	 * @return the algorithm whose states are read and written
	 */
	@Override
	Algorithm algorithm();

	/**
	 * The maximum number of permits in a bucket. It is also the largest cost that can be
	 * allowed without a reservation.
	 * @return permits, at least 1
	 */
	default long capacity() {
		return rate().permits();
	}

	/**
	 * The rate at which the bucket refills.
	 * @return the rate
	 */
	Rate rate();

	/**
	 * The start of windows, for algorithms with windows.
	 * @param windowSeed a number derived from the bucket's key
	 * @return ticks after the epoch at which a window starts; further windows start at
	 * multiples of the period after it; 0 without windows
	 */
	default long phase(long windowSeed) {
		return 0;
	}

	/**
	 * The time in which an empty bucket refills, rounded up.
	 * @return ticks, at least 1
	 */
	default long timeToFull() {
		return rate().periodTicks();
	}

	/**
	 * Whether this limit may reject a caller that another limit allows.
	 * @param other the other limit
	 * @return whether the rate is lower or the capacity is smaller, or whether permits
	 * are held under one limit and consumed under the other
	 */
	default boolean isLowerThan(Limit other) {
		return other instanceof Concurrency || capacity() < other.capacity() || rate().isLowerThan(other.rate());
	}

	/**
	 * The permits of a {@link #quotaWindow()}: {@code q} of the {@code RateLimit-Policy}
	 * header.
	 * @return permits, at least 1
	 */
	default long quota() {
		return capacity();
	}

	/**
	 * The time in which a client may consume the quota: {@code w} of the
	 * {@code RateLimit-Policy} header.
	 * @return ticks, at least 1
	 */
	default long quotaWindow() {
		return rate().periodTicks();
	}

	/**
	 * The time in which a client may consume the remaining permits or, if there are none,
	 * the time until there are permits: {@code t} of the {@code RateLimit} header.
	 * @param decision a decision of this limit
	 * @return ticks, at least 1
	 */
	default long quotaWindow(Decision decision) {
		return (decision.nextPermitTicks() > 0) ? decision.nextPermitTicks() : quotaWindow();
	}

	/**
	 * Whole permits left.
	 * @param state the bucket; not changed
	 * @param now the current time in ticks
	 * @return permits from 0 to the capacity
	 */
	long remaining(BucketState state, long now);

	/**
	 * Whether permits can be reserved before they are earned, so that an
	 * {@link Overdraft} has an effect.
	 * @return whether permits can be reserved
	 */
	default boolean isReservable() {
		return false;
	}

	/**
	 * Whether a full bucket can allow a cost, now or at a later time.
	 * @param cost permits, 0 or more
	 * @param overdraft the permits that can be reserved
	 * @return whether it can ever be allowed
	 */
	default boolean canPass(long cost, Overdraft overdraft) {
		return cost <= capacity();
	}

	/**
	 * Whether the cost can be consumed now, or reserved. A cost of 0 is always allowed.
	 * @param state the bucket; not changed
	 * @param cost permits, 0 or more
	 * @param overdraft the permits that can be reserved
	 * @param now the current time in ticks
	 * @return whether {@link #acquire} would allow it
	 */
	default boolean allows(BucketState state, long cost, Overdraft overdraft, long now) {
		return cost == 0 || cost <= remaining(state, now);
	}

	/**
	 * Whether the cost can be consumed now.
	 * @param state the bucket; not changed
	 * @param cost permits, 0 or more
	 * @param now the current time in ticks
	 * @return whether {@link #acquire} would allow it without an overdraft
	 */
	default boolean allows(BucketState state, long cost, long now) {
		return allows(state, cost, Overdraft.NONE, now);
	}

	/**
	 * Consumes the cost if possible, or reserves it, and returns the decision.
	 * @param state the bucket; changed only if the cost is allowed
	 * @param cost permits, 0 or more
	 * @param overdraft the permits that can be reserved
	 * @param now the current time in ticks
	 * @return the decision, with the permits that are left after it
	 */
	Decision acquire(BucketState state, long cost, Overdraft overdraft, long now);

	/**
	 * Consumes the cost if possible, and returns the decision.
	 * @param state the bucket; changed only if the cost is allowed
	 * @param cost permits, 0 or more
	 * @param now the current time in ticks
	 * @return the decision, with the permits that are left after it
	 */
	default Decision acquire(BucketState state, long cost, long now) {
		return acquire(state, cost, Overdraft.NONE, now);
	}

	/**
	 * Decides like {@link #acquire}, but consumes nothing.
	 * @param state the bucket; not changed
	 * @param cost permits, 0 or more
	 * @param overdraft the permits that could be reserved
	 * @param now the current time in ticks
	 * @return the decision that {@code acquire} would return
	 */
	default Decision peek(BucketState state, long cost, Overdraft overdraft, long now) {
		return acquire(state.copy(), cost, overdraft, now);
	}

	/**
	 * Decides like {@link #acquire} without an overdraft, but consumes nothing.
	 * @param state the bucket; not changed
	 * @param cost permits, 0 or more
	 * @param now the current time in ticks
	 * @return the decision that {@code acquire} would return
	 */
	default Decision peek(BucketState state, long cost, long now) {
		return peek(state, cost, Overdraft.NONE, now);
	}

	/**
	 * Decides for a bucket that does not change because another bucket rejected the
	 * request.
	 * @param state the bucket; not changed
	 * @param cost permits, 0 or more
	 * @param overdraft the permits that could be reserved
	 * @param now the current time in ticks
	 * @return whether this bucket would have allowed it, with its remaining permits
	 */
	Decision inspect(BucketState state, long cost, Overdraft overdraft, long now);

	/**
	 * Refunds a charge: the bucket gets the permits that it would contain now without the
	 * charge, minus the permits that it contains. If there were later charges, the refund
	 * may be less, but never more. If the bucket has been full or has had another limit
	 * since the charge, nothing is refunded.
	 * <p>
	 * A refund without a receipt adds permits up to the capacity, except for permits that
	 * other charges have reserved.
	 * @param state the bucket; changed
	 * @param cost permits, 0 or more
	 * @param receipt the {@link BucketState#receipt() receipt} of the charge, to be used
	 * at most once; {@code null} to add permits without regard to any charge
	 * @param now the current time in ticks
	 */
	void refund(BucketState state, long cost, @Nullable Receipt receipt, long now);

	/**
	 * Refunds a charge as {@link #refund(BucketState, long, Receipt, long)} does, of a
	 * bucket whose debt may have no reservations.
	 * @param state the bucket; changed
	 * @param cost permits, 0 or more
	 * @param receipt the receipt of the charge; {@code null} to add permits without
	 * regard to any charge
	 * @param reserved whether the bucket may owe permits to reservations, which are not
	 * refunded; otherwise it only owes permits that were {@linkplain #consume consumed}
	 * @param now the current time in ticks
	 */
	default void refund(BucketState state, long cost, @Nullable Receipt receipt, boolean reserved, long now) {
		refund(state, cost, receipt, now);
	}

	/**
	 * Consumes permits that were already used, even if the bucket does not contain them,
	 * until the bucket owes the maximum debt. The rest is dropped.
	 * @param state the bucket; changed
	 * @param permits permits, 1 or more
	 * @param maxDebt the permits that the bucket may owe, 0 or more
	 * @param now the current time in ticks
	 * @return the permits that were dropped
	 * @throws UnsupportedOperationException if the permits of this limit cannot be
	 * {@linkplain #isReservable() reserved}
	 */
	default Overrun consume(BucketState state, long permits, long maxDebt, long now) {
		throw new UnsupportedOperationException("A bucket under " + this + " owes no permits");
	}

	/**
	 * Adds permits up to the capacity, except for permits that other charges have
	 * reserved.
	 * @param state the bucket; changed
	 * @param cost permits, 0 or more
	 * @param now the current time in ticks
	 */
	default void refund(BucketState state, long cost, long now) {
		refund(state, cost, null, now);
	}

	/**
	 * A part of this limit, for one of several instances that decide alone: the fraction
	 * of the capacity, refilled at the fraction of the rate.
	 * @param fraction the fraction: above 0, up to 1
	 * @param atLeast a cost that the part also allows if this limit allows it
	 * @return a limit of the same algorithm
	 */
	Limit scale(BigDecimal fraction, long atLeast);

	/**
	 * Whether the bucket is full, and therefore equivalent to a missing bucket.
	 * @param state the bucket; not changed
	 * @param now the current time in ticks
	 * @return whether nothing is consumed
	 */
	default boolean isFull(BucketState state, long now) {
		return remaining(state, now) == capacity();
	}

}
