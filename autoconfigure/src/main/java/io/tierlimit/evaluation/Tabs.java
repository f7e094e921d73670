package io.tierlimit.evaluation;

import io.tierlimit.rule.AuthenticationResult;

/**
 * Finds the tab that a call is put on.
 */
@FunctionalInterface
public interface Tabs {

	/**
	 * The tab of what this thread does.
	 * @return the tab of the web request that this thread serves, or a new one
	 */
	Tab current();

	/**
	 * Notes what became of an authentication in the web request that this thread serves,
	 * if it serves one.
	 * @param result the result
	 */
	default void note(AuthenticationResult result) {
	}

}
