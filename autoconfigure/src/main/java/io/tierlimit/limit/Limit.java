package io.tierlimit.limit;

import java.math.BigDecimal;

import org.jspecify.annotations.Nullable;

/**
 * The arithmetic that a bucket obeys: an algorithm with its numbers. Immutable; a
 * function of state, cost and moment.
 * <p>
 * Moments are ticks (microseconds) of any one clock. A moment before the state's own
 * counts as the state's own: a clock that runs backwards adds no permits. A state that
 * was written under another limit of the same algorithm keeps what was consumed, clamped
 * to this limit's capacity, and is refilled at this limit's rate; one of another
 * algorithm is full.
 */
public sealed interface Limit permits ReservableLimit, SlidingLimit {

	/**
	 * The algorithm.
	 * @return the algorithm whose states are read and written
	 */
	Algorithm algorithm();

	/**
	 * The most permits that a bucket can hold, and the largest cost that can ever pass at
	 * once.
	 * @return permits, at least 1
	 */
	long capacity();

	/**
	 * How fast permits come.
	 * @return the rate
	 */
	Rate rate();

	/**
	 * When windows begin, if there are any.
	 * @param windowSeed a number that follows from the bucket's key
	 * @return ticks after the epoch, and after every period since; 0 without windows
	 */
	default long phase(long windowSeed) {
		return 0;
	}

	/**
	 * Ticks from empty to full, rounded up.
	 * @return ticks, at least 1
	 */
	long timeToFull();

	/**
	 * The permits of a {@link #quotaWindow()}: {@code q} of the {@code RateLimit-Policy}
	 * field.
	 * @return permits, at least 1
	 */
	default long quota() {
		return capacity();
	}

	/**
	 * The time in which a client may consume the quota: {@code w} of the
	 * {@code RateLimit-Policy} field.
	 * @return ticks, at least 1
	 */
	long quotaWindow();

	/**
	 * The time in which a client may consume what is left, or until there is something
	 * left: {@code t} of the {@code RateLimit} field.
	 * @param decision a decision of this limit
	 * @return ticks, at least 1
	 */
	long quotaWindow(Decision decision);

	/**
	 * Whole permits left.
	 * @param state the bucket; not changed
	 * @param now the moment in ticks
	 * @return permits from 0 to the capacity
	 */
	long remaining(BucketState state, long now);

	/**
	 * Whether permits can be reserved that have not come yet: whether an
	 * {@link Overdraft} makes a difference.
	 * @return whether it does
	 */
	boolean isReservable();

	/**
	 * Whether a cost can pass at all: from a full bucket, at the best moment.
	 * @param cost permits, 0 or more
	 * @param overdraft how much can be reserved
	 * @return whether it ever can
	 */
	boolean canPass(long cost, Overdraft overdraft);

	/**
	 * Whether the cost can be paid now, or reserved. A cost of 0 always can.
	 * @param state the bucket; not changed
	 * @param cost permits, 0 or more
	 * @param overdraft how much can be reserved
	 * @param now the moment in ticks
	 * @return whether {@link #acquire} would allow it
	 */
	boolean allows(BucketState state, long cost, Overdraft overdraft, long now);

	/**
	 * Whether the cost can be paid now.
	 * @param state the bucket; not changed
	 * @param cost permits, 0 or more
	 * @param now the moment in ticks
	 * @return whether {@link #acquire} would allow it without an overdraft
	 */
	default boolean allows(BucketState state, long cost, long now) {
		return allows(state, cost, Overdraft.NONE, now);
	}

	/**
	 * Pays the cost if it can be paid, or reserved, and answers.
	 * @param state the bucket; changed only if the decision is to allow
	 * @param cost permits, 0 or more
	 * @param overdraft how much can be reserved
	 * @param now the moment in ticks
	 * @return the decision, with what is left after it
	 */
	Decision acquire(BucketState state, long cost, Overdraft overdraft, long now);

	/**
	 * Pays the cost if it can be paid and answers.
	 * @param state the bucket; changed only if the decision is to allow
	 * @param cost permits, 0 or more
	 * @param now the moment in ticks
	 * @return the decision, with what is left after it
	 */
	default Decision acquire(BucketState state, long cost, long now) {
		return acquire(state, cost, Overdraft.NONE, now);
	}

	/**
	 * Answers as {@link #acquire} would, without paying.
	 * @param state the bucket; not changed
	 * @param cost permits, 0 or more
	 * @param overdraft how much could be reserved
	 * @param now the moment in ticks
	 * @return the decision that {@code acquire} would give
	 */
	Decision peek(BucketState state, long cost, Overdraft overdraft, long now);

	/**
	 * Answers as {@link #acquire} would without an overdraft, without paying.
	 * @param state the bucket; not changed
	 * @param cost permits, 0 or more
	 * @param now the moment in ticks
	 * @return the decision that {@code acquire} would give
	 */
	default Decision peek(BucketState state, long cost, long now) {
		return peek(state, cost, Overdraft.NONE, now);
	}

	/**
	 * Answers for a bucket that stays as it is because another one rejected the request.
	 * @param state the bucket; not changed
	 * @param cost permits, 0 or more
	 * @param overdraft how much could be reserved
	 * @param now the moment in ticks
	 * @return whether this bucket would have allowed it, with what is left in it
	 */
	Decision inspect(BucketState state, long cost, Overdraft overdraft, long now);

	/**
	 * Refunds a charge: the difference that it still makes. That is what the bucket would
	 * contain now if the charge had never happened, minus what it contains. Where other
	 * charges came later it may be less, but never more. A bucket that has been full
	 * since, or had another limit, gets nothing back.
	 * <p>
	 * A refund without a receipt adds permits up to the capacity, except for those that
	 * others have reserved.
	 * @param state the bucket; changed
	 * @param cost permits, 0 or more
	 * @param receipt the {@link BucketState#receipt() receipt} of the charge, to be used
	 * at most once; {@code null} to add permits whatever was charged
	 * @param now the moment in ticks
	 */
	void refund(BucketState state, long cost, @Nullable Receipt receipt, long now);

	/**
	 * Adds permits up to the capacity, except for those that others have reserved.
	 * @param state the bucket; changed
	 * @param cost permits, 0 or more
	 * @param now the moment in ticks
	 */
	default void refund(BucketState state, long cost, long now) {
		refund(state, cost, null, now);
	}

	/**
	 * The part of this limit that one of several instances grants by itself: so much of
	 * the capacity, earned so much slower.
	 * @param fraction the fraction: above 0, up to 1
	 * @param atLeast a cost that can pass in the part too, if it can in the whole
	 * @return a limit of the same algorithm
	 */
	Limit scale(BigDecimal fraction, long atLeast);

	/**
	 * Whether the bucket is full, and so can't be told from one that never existed.
	 * @param state the bucket; not changed
	 * @param now the moment in ticks
	 * @return whether nothing is consumed
	 */
	default boolean isFull(BucketState state, long now) {
		return remaining(state, now) == capacity();
	}

}
