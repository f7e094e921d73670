package io.tierlimit.key;

/**
 * What an expression is evaluated for.
 */
enum ExpressionUse {

	/** Any value. */
	KEY,

	/** A boolean. */
	CONDITION,

	/** A number of permits. */
	COST

}
