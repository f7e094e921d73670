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
	BEFORE_AUTHENTICATION {

		@Override
		public boolean decides(CompiledRule rule) {
			return !rule.reads(Fact.IDENTITY);
		}

	},

	/** After authentication: evaluates the other rules. */
	AFTER_AUTHENTICATION {

		@Override
		public boolean decides(CompiledRule rule) {
			return rule.reads(Fact.IDENTITY);
		}

	},

	/**
	 * Evaluates all rules. This is the only stage of a request without Spring Security.
	 * It is also used for the remaining rules of a forward or of a handler.
	 */
	ALL {

		@Override
		public boolean decides(CompiledRule rule) {
			return true;
		}

	};

	/**
	 * Whether a rule is evaluated at this stage.
	 * @param rule the rule
	 * @return whether the rule is evaluated; true for exactly one of the first two stages
	 */
	public abstract boolean decides(CompiledRule rule);

}
