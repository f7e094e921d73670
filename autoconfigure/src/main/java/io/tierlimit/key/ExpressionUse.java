package io.tierlimit.key;

/**
 * The use of an expression.
 */
enum ExpressionUse {

	/** Any value. */
	KEY,

	/** A boolean. */
	CONDITION,

	/** A number of permits. */
	COST

}
