package io.tierlimit.option.outcome;

import io.tierlimit.rule.KebabCase;
import io.tierlimit.rule.RequestOutcome;
import io.tierlimit.rule.RequestOutcome.Event;

/**
 * The result of an authentication within a request.
 */
public enum AuthenticationResult implements OutcomeCondition {

	/** Authentication failed, or could not be completed. */
	FAILURE,

	/** Authentication succeeded. */
	SUCCESS;

	private final String word = "authentication-" + KebabCase.of(this);

	@Override
	public boolean isIn(RequestOutcome outcome) {
		return (this == FAILURE) ? outcome.has(Event.AUTHENTICATION_FAILED) : !outcome.authenticated().isEmpty();
	}

	@Override
	public boolean overlaps(OutcomeCondition other) {
		return other == this;
	}

	/**
	 * The value in the configuration.
	 */
	@Override
	public String toString() {
		return this.word;
	}

}
