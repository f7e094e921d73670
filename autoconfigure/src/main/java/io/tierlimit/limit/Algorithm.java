package io.tierlimit.limit;

/**
 * What becomes of time and permits in a bucket. A bucket's state means something to its
 * own algorithm only: under another one it is full.
 */
public enum Algorithm {

	/** Permits are earned at a constant rate and saved up to a burst. */
	TOKEN_BUCKET,

	/** Permits are issued at the start of each period. */
	FIXED_WINDOW

}
