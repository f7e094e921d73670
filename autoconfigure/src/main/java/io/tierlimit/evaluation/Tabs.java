package io.tierlimit.evaluation;

import io.tierlimit.rule.Account;

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
	 * Notes that an authentication has failed in the web request that this thread serves,
	 * if it serves one.
	 */
	default void noteFailedAuthentication() {
	}

	/**
	 * Notes that an account has authenticated in the web request that this thread serves,
	 * if it serves one.
	 * @param account the account
	 */
	default void noteAuthentication(Account account) {
	}

}
