package io.tierlimit.limit;

/**
 * How far a charge may go beyond what a bucket has: such permits are reserved, and count
 * from the moment at which they have come.
 *
 * @param permits how many permits a bucket may owe at most: 0 to 10<sup>12</sup>
 * @param ticks how long they may take to come: 0 to 3,650 days, in ticks
 */
public record Overdraft(long permits, long ticks) {

	/** What is not there is not to be had. */
	public static final Overdraft NONE = new Overdraft(0, 0);

	/**
	 * Creates an overdraft.
	 * @throws IllegalArgumentException if a number is outside of what is accepted
	 */
	public Overdraft {
		if (permits < 0 || permits > Rate.MAX_PERMITS) {
			throw new IllegalArgumentException(
					"From 0 to " + Rate.MAX_PERMITS + " permits can be reserved, but not " + permits);
		}
		if (ticks < 0 || ticks > Rate.MAX_TICKS) {
			throw new IllegalArgumentException("Permits can be reserved for at most " + Rate.MAX_PERIOD.toDays()
					+ " days, but not for " + ticks + " microseconds");
		}
	}

	/**
	 * Bounds what is owed, however long it takes to come.
	 * @param permits how many permits: 0 to 10<sup>12</sup>
	 * @return an overdraft
	 */
	public static Overdraft ofPermits(long permits) {
		return (permits == 0) ? NONE : new Overdraft(permits, Rate.MAX_TICKS);
	}

	/**
	 * Bounds how long it takes to come, however much it is.
	 * @param ticks how long: 0 to 3,650 days, in ticks
	 * @return an overdraft
	 */
	public static Overdraft ofTicks(long ticks) {
		return (ticks == 0) ? NONE : new Overdraft(Rate.MAX_PERMITS, ticks);
	}

}
