package io.tierlimit.limit;

/**
 * How a bucket gains permits over time. Each algorithm reads only the states that it has
 * written: if a rule changes its algorithm, its buckets are full.
 */
public enum Algorithm {

	/** Permits are earned at a constant rate and saved up to a burst. */
	TOKEN_BUCKET(1),

	/** Permits are issued at the start of each period. */
	FIXED_WINDOW(2),

	/**
	 * A number of permits in any period, estimated by the weighted counts of the last two
	 * windows.
	 */
	SLIDING_WINDOW(3),

	/** A number of permits in any period, exactly, by a log of all charges. */
	SLIDING_LOG(4),

	/** One permit at a time, at constant intervals. */
	LEAKY_BUCKET(5),

	/** A number of permits in use at the same time, each until it is released. */
	CONCURRENCY(6);

	private final byte mark;

	Algorithm(int mark) {
		this.mark = (byte) mark;
	}

	/**
	 * Whether limits of this algorithm have a burst.
	 * @return whether a bucket can save more permits than its rate has per period
	 */
	public boolean hasBurst() {
		return switch (this) {
			case TOKEN_BUCKET, FIXED_WINDOW -> true;
			case SLIDING_WINDOW, SLIDING_LOG, LEAKY_BUCKET, CONCURRENCY -> false;
		};
	}

	/**
	 * Whether requests hold the permits of such limits until they release them.
	 * @return whether permits are held; otherwise they are consumed
	 */
	public boolean holdsPermits() {
		return this == CONCURRENCY;
	}

	/**
	 * The first byte of a packed state of this algorithm.
	 * @return a unique number
	 */
	public byte mark() {
		return this.mark;
	}

}
