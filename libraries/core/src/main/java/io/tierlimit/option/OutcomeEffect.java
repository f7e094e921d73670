package io.tierlimit.option;

/**
 * What happens to a charge at the end of its request. If options return different
 * constants, the constant that is declared first applies.
 */
public enum OutcomeEffect {

	/** The permits remain consumed. */
	KEEP,

	/** The bucket is full again. */
	RESET,

	/** The permits are refunded. */
	REFUND,

	/** The option does not decide this. */
	NONE

}
