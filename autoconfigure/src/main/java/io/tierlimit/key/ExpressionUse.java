package io.tierlimit.key;

/**
 * The use of an expression.
 */
public enum ExpressionUse {

	/** The key of a rule, or the name of a user: any value. */
	KEY("use a KeyResolver bean"),

	/** The condition of a rule: a boolean. */
	CONDITION("use a KeyResolver bean with anonymous: skip"),

	/** The cost of a rule: a number of permits. */
	COST("calculate the cost in code, with the RateLimiter bean");

	/** What to do instead of using a part that is not supported. */
	final String alternative;

	ExpressionUse(String alternative) {
		this.alternative = alternative;
	}

}
