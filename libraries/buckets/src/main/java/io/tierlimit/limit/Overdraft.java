package io.tierlimit.limit;

/**
 * The permits that a charge may reserve in addition to the permits in the bucket.
 * Reserved permits can be used from the time at which they are earned.
 *
 * @param permits the maximum number of permits that a bucket may owe: 0 to
 * 10<sup>12</sup>
 * @param ticks the maximum time until the reserved permits are earned: 0 to 3,650 days,
 * in ticks
 */
public record Overdraft(long permits, long ticks) {

	/** No permits can be reserved. */
	public static final Overdraft NONE = new Overdraft(0, 0);

	/**
	 * Creates an overdraft.
	 * @throws IllegalArgumentException if a number is out of range
	 */
	public Overdraft {
		if (permits < 0 || permits > Rate.MAX_PERMITS) {
			throw new IllegalArgumentException(
					"max-reserved must be from 0 to " + Rate.MAX_PERMITS + " permits (was " + permits + ")");
		}
		if (ticks < 0 || ticks > Rate.MAX_TICKS) {
			throw new IllegalArgumentException("permits must be reserved for at most " + Rate.MAX_PERIOD.toDays()
					+ " days (was " + ticks + " microseconds)");
		}
	}

	/**
	 * Creates an overdraft with a maximum debt, whatever the time until it is earned.
	 * @param permits the maximum debt: 0 to 10<sup>12</sup>
	 * @return an overdraft
	 */
	public static Overdraft ofPermits(long permits) {
		return (permits == 0) ? NONE : new Overdraft(permits, Rate.MAX_TICKS);
	}

	/**
	 * Creates an overdraft with a maximum time until the permits are earned, whatever
	 * their number.
	 * @param ticks the maximum time: 0 to 3,650 days, in ticks
	 * @return an overdraft
	 */
	public static Overdraft ofTicks(long ticks) {
		return (ticks == 0) ? NONE : new Overdraft(Rate.MAX_PERMITS, ticks);
	}

}
