package io.tierlimit.rule;

/**
 * What became of an authentication within a request.
 */
public enum AuthenticationResult implements OutcomeCondition {

	/** Somebody was not who he said he was, or that could not be found out. */
	FAILURE {

		@Override
		public boolean isIn(RequestOutcome outcome) {
			return outcome.authenticationFailed();
		}

	},

	/** Somebody was who he said he was. */
	SUCCESS {

		@Override
		public boolean isIn(RequestOutcome outcome) {
			return !outcome.authenticated().isEmpty();
		}

	};

	private final String word = "authentication-" + KebabCase.of(this);

	@Override
	public boolean overlaps(OutcomeCondition other) {
		return other == this;
	}

	/**
	 * The word for it.
	 */
	@Override
	public String toString() {
		return this.word;
	}

}
