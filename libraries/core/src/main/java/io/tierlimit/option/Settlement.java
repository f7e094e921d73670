package io.tierlimit.option;

/**
 * What becomes of a charge at the end of its request. Of several options, the first
 * constant applies.
 */
public enum Settlement {

	/** The permits remain consumed. */
	KEEP,

	/** The bucket is full again. */
	RESET,

	/** The permits are refunded. */
	REFUND,

	/** The option does not settle the charge. */
	NONE

}
