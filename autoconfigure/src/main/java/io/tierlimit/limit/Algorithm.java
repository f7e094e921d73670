package io.tierlimit.limit;

/**
 * What becomes of time and permits in a bucket. A bucket's state means something to its
 * own algorithm only: under another one it is full.
 */
public enum Algorithm {

	/** Permits are earned at a constant rate and saved up to a burst. */
	TOKEN_BUCKET(1),

	/** Permits are issued at the start of each period. */
	FIXED_WINDOW(2),

	/** As many permits in any period as the last two windows tell, weighted. */
	SLIDING_WINDOW(3),

	/** No more permits than so many in any period, by a log of what was taken. */
	SLIDING_LOG(4),

	/** One permit at a time, at constant intervals. */
	LEAKY_BUCKET(5);

	private final byte mark;

	Algorithm(int mark) {
		this.mark = (byte) mark;
	}

	/**
	 * What a packed state of this algorithm begins with.
	 * @return a number of its own
	 */
	public byte mark() {
		return this.mark;
	}

}
