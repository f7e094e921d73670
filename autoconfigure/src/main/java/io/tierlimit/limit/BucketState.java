package io.tierlimit.limit;

/**
 * What is known of one bucket: how much is spent, how much of a permit is earned towards
 * it, and as of when. A new state is a full bucket.
 * <p>
 * Spent is kept rather than left, so that a limit with another capacity finds the same
 * number spent. The state is changed in place by its {@link Limit}, so that a store
 * allocates nothing for a request; it is not thread-safe: the store guards it.
 */
public final class BucketState {

	/** Permits spent and not yet earned back, rounded up. */
	long spent;

	/** Earned towards the next permit, in 1/{@link #period} permits: 0 to period - 1. */
	long earned;

	/** The denominator of {@link #earned}: the rate's period in ticks. */
	long period;

	/** The moment in ticks; time before it doesn't count again. */
	long asOf;

	/**
	 * Creates the state of a full bucket.
	 * @param now the moment from which time counts, in ticks
	 */
	public BucketState(long now) {
		this.period = 1;
		this.asOf = now;
	}

	/**
	 * Creates a state out of the numbers of another one.
	 * @param spent permits spent and not yet earned back
	 * @param earned earned towards the next permit, in 1/{@code period} permits: 0 to
	 * {@code period} - 1
	 * @param period the denominator of {@code earned}, 1 or more
	 * @param asOf the moment in ticks up to which time has counted
	 * @throws IllegalArgumentException if there can be no such state
	 */
	public BucketState(long spent, long earned, long period, long asOf) {
		if (spent < 0 || spent > Rate.MAX_PERMITS || earned < 0 || earned >= period) {
			throw new IllegalArgumentException("No bucket has spent " + spent + " and earned " + earned + "/" + period);
		}
		this.spent = spent;
		this.earned = earned;
		this.period = period;
		this.asOf = asOf;
	}

	/**
	 * The same state in an object of its own.
	 * @return a copy
	 */
	public BucketState copy() {
		return new BucketState(this.spent, this.earned, this.period, this.asOf);
	}

	/**
	 * Permits spent and not yet earned back.
	 * @return permits, rounded up
	 */
	public long spent() {
		return this.spent;
	}

	/**
	 * What is earned towards the next permit.
	 * @return 1/{@link #period()} permits
	 */
	public long earned() {
		return this.earned;
	}

	/**
	 * The denominator of {@link #earned()}.
	 * @return ticks, at least 1
	 */
	public long period() {
		return this.period;
	}

	/**
	 * The moment up to which time has counted in this bucket.
	 * @return a moment in ticks
	 */
	public long asOf() {
		return this.asOf;
	}

	@Override
	public String toString() {
		return "spent " + this.spent + ", earned " + this.earned + "/" + this.period + ", as of " + this.asOf;
	}

}
