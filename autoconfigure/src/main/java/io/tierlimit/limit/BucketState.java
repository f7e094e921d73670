package io.tierlimit.limit;

/**
 * What is known of one bucket: how much is spent, how much of a permit is earned towards
 * it, and as of when. A new state is a full bucket.
 * <p>
 * Spent is kept rather than left, so that a limit with another capacity finds the same
 * number spent. Which algorithm has written the numbers is kept, too: to another one they
 * mean a full bucket. The state is changed in place by its {@link Limit}, so that a store
 * allocates nothing for a request; it is not thread-safe: the store guards it.
 */
public final class BucketState {

	/** A number that follows from the bucket's key. */
	final long spread;

	/** Whose numbers these are. */
	Algorithm algorithm = Algorithm.TOKEN_BUCKET;

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
		this(now, 0);
	}

	/**
	 * Creates the state of a full bucket.
	 * @param now the moment from which time counts, in ticks
	 * @param spread a number that follows from the bucket's key: sets off its windows
	 * from those of others
	 */
	public BucketState(long now, long spread) {
		this.period = 1;
		this.asOf = now;
		this.spread = spread;
	}

	/**
	 * Creates a token bucket's state out of the numbers of another one.
	 * @param spent permits spent and not yet earned back
	 * @param earned earned towards the next permit, in 1/{@code period} permits: 0 to
	 * {@code period} - 1
	 * @param period the denominator of {@code earned}, 1 or more
	 * @param asOf the moment in ticks up to which time has counted
	 * @throws IllegalArgumentException if there can be no such state
	 */
	public BucketState(long spent, long earned, long period, long asOf) {
		this(Algorithm.TOKEN_BUCKET, spent, earned, period, asOf, 0);
	}

	/**
	 * Creates a state out of the numbers of another one.
	 * @param algorithm whose numbers these are
	 * @param spent permits spent and not yet earned back
	 * @param earned earned towards the next permit, in 1/{@code period} permits: 0 to
	 * {@code period} - 1
	 * @param period the denominator of {@code earned}, 1 or more
	 * @param asOf the moment in ticks up to which time has counted
	 * @param spread a number that follows from the bucket's key
	 * @throws IllegalArgumentException if there can be no such state
	 */
	public BucketState(Algorithm algorithm, long spent, long earned, long period, long asOf, long spread) {
		if (spent < 0 || spent > Rate.MAX_PERMITS || earned < 0 || earned >= period) {
			throw new IllegalArgumentException("No bucket has spent " + spent + " and earned " + earned + "/" + period);
		}
		this.algorithm = algorithm;
		this.spent = spent;
		this.earned = earned;
		this.period = period;
		this.asOf = asOf;
		this.spread = spread;
	}

	void write(Algorithm by, long nowSpent, long nowEarned, long inPeriod, long now) {
		this.algorithm = by;
		this.spent = nowSpent;
		this.earned = nowEarned;
		this.period = inPeriod;
		this.asOf = Math.max(this.asOf, now);
	}

	/**
	 * The same state in an object of its own.
	 * @return a copy
	 */
	public BucketState copy() {
		return spread(this.spread);
	}

	/**
	 * The same state as that of a bucket with another key.
	 * @param by a number that follows from the bucket's key
	 * @return a copy
	 */
	public BucketState spread(long by) {
		return new BucketState(this.algorithm, this.spent, this.earned, this.period, this.asOf, by);
	}

	/**
	 * Whose numbers these are.
	 * @return the algorithm that has written them last
	 */
	public Algorithm algorithm() {
		return this.algorithm;
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
		return this.algorithm + ", spent " + this.spent + ", earned " + this.earned + "/" + this.period + ", as of "
				+ this.asOf;
	}

}
