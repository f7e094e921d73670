package io.tierlimit.option.outcome;

import io.tierlimit.rule.RequestOutcome;

/**
 * A condition on the outcome of a web request: a value of {@code charge-on} or
 * {@code reset-on}.
 */
public sealed interface OutcomeCondition permits StatusRange, AuthenticationResult {

	/**
	 * Whether an outcome meets the condition.
	 * @param outcome the outcome of a request
	 * @return whether the outcome meets it
	 */
	boolean isIn(RequestOutcome outcome);

	/**
	 * Whether an outcome can meet both conditions.
	 * @param other another condition
	 * @return whether they are the same result, or have a status in common
	 */
	boolean overlaps(OutcomeCondition other);

	/**
	 * Reads a condition.
	 * @param word a status ({@code 401}), a class of statuses ({@code 5xx}),
	 * {@code authentication-failure} or {@code authentication-success}
	 * @return the condition
	 * @throws IllegalArgumentException if the value is not valid
	 */
	static OutcomeCondition parse(String word) {
		for (AuthenticationResult result : AuthenticationResult.values()) {
			if (result.toString().equals(word)) {
				return result;
			}
		}
		return StatusRange.parse(word);
	}

}
