package io.tierlimit.key;

/**
 * The purposes of expressions.
 */
public enum ExpressionUse {

	/** The key of a rule: a string, a number, or a list of them. */
	KEY("use a KeyResolver bean"),

	/** The name of a user: a value of the same types as a key. */
	USER("set the name of the principal when the user is authenticated"),

	/** The plan of a caller: a string, or a list of strings. */
	PLAN("define a PlanResolver bean"),

	/** The condition of a rule: a boolean. */
	CONDITION("use a KeyResolver bean with on-missing-key: skip"),

	/** The cost of a rule: a number of permits. */
	COST("calculate the cost in code, with the RateLimiter bean"),

	/** The actual cost of a finished request: a number of permits. */
	ACTUAL_COST("report the cost from code, with RateLimiter.estimatedCost");

	/** The alternative that messages suggest for a part that is not supported. */
	final String alternative;

	ExpressionUse(String alternative) {
		this.alternative = alternative;
	}

	/**
	 * Whether the value is a number of permits. Then a string of digits is a number, and
	 * a quotient is rounded up.
	 */
	boolean isCost() {
		return this == COST || this == ACTUAL_COST;
	}

	/** Whether expressions can read a fact. */
	boolean allows(ExpressionFact fact) {
		return this == ACTUAL_COST || !ExpressionFact.FINISHED.contains(fact);
	}

}
