package io.tierlimit.evaluation;

/**
 * Where in a request's course it is decided, and by which rules.
 */
public enum Stage {

	/**
	 * Nobody is authenticated yet: decides the rules that need no principal, so that a
	 * flood of logins is stopped before a password is checked.
	 */
	BEFORE_AUTHENTICATION {

		@Override
		public boolean decides(CompiledRule rule) {
			return !rule.needsAuthentication();
		}

	},

	/** The principal is known: decides the other rules. */
	AFTER_AUTHENTICATION {

		@Override
		public boolean decides(CompiledRule rule) {
			return rule.needsAuthentication();
		}

	},

	/**
	 * Decides all rules: the one stage of a request without Spring Security, and what is
	 * left to decide for a forward or before a handler.
	 */
	ALL {

		@Override
		public boolean decides(CompiledRule rule) {
			return true;
		}

	};

	/**
	 * Whether a rule is decided here.
	 * @param rule the rule
	 * @return whether it is; exactly one of the first two says so
	 */
	public abstract boolean decides(CompiledRule rule);

}
