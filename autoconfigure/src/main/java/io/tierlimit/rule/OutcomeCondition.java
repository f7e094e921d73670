package io.tierlimit.rule;

/**
 * What may happen to a web request: the words of {@code charge} and {@code reset-on}.
 */
public sealed interface OutcomeCondition permits StatusRange, AuthenticationResult {

	/**
	 * Whether it has happened.
	 * @param outcome the outcome of a request
	 * @return whether this is a part of that
	 */
	boolean isIn(RequestOutcome outcome);

	/**
	 * Whether some request could be both.
	 * @param other another word
	 * @return whether they are the same, or one status is of both
	 */
	boolean overlaps(OutcomeCondition other);

	/**
	 * Reads a word.
	 * @param word a status ({@code 401}), a family of them ({@code 5xx}),
	 * {@code authentication-failure} or {@code authentication-success}
	 * @return what it stands for
	 * @throws IllegalArgumentException if it is none of these
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
