package io.tierlimit.key;

/**
 * The use of an expression.
 */
public enum ExpressionUse {

	/** The key of a rule: a text, a number, or a list of them. */
	KEY("use a KeyResolver bean"),

	/** The name of a user, with the types of a key. */
	USER("set the name of the principal when the user is authenticated"),

	/** The plan of a caller: a string, or a list of strings. */
	PLAN("define a PlanResolver bean"),

	/** The condition of a rule: a boolean. */
	CONDITION("use a KeyResolver bean with on-missing-key: skip"),

	/** The cost of a rule: a number of permits. */
	COST("calculate the cost in code, with the RateLimiter bean");

	/** What to do instead of using a part that is not supported. */
	final String alternative;

	ExpressionUse(String alternative) {
		this.alternative = alternative;
	}

}
