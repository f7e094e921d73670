package io.tierlimit.evaluation;

import io.tierlimit.option.RuleOption.Fact;

/**
 * A point in a request at which rules are evaluated.
 */
public enum Stage {

	/**
	 * Before authentication: evaluates the rules that do not depend on the authenticated
	 * caller, so that a flood of logins is rejected before passwords are checked.
	 */
	BEFORE_AUTHENTICATION,

	/** After authentication: evaluates the other rules. */
	AFTER_AUTHENTICATION,

	/**
	 * Evaluates all rules. This is the only stage of a request without Spring Security.
	 * It is also used for the remaining rules of a forward or of a handler.
	 */
	ALL;

	/**
	 * Whether a rule is evaluated at this stage.
	 * @param rule the rule
	 * @return whether the rule is evaluated; true for exactly one of the first two stages
	 */
	public boolean decides(CompiledRule rule) {
		return this == ALL || rule.reads(Fact.IDENTITY) == (this == AFTER_AUTHENTICATION);
	}

}
