package io.tierlimit.evaluation;

import io.tierlimit.rule.Account;
import io.tierlimit.rule.Charging;
import io.tierlimit.rule.RequestOutcome;

/**
 * When a request may reset the bucket that it was charged to.
 *
 * @param accounts whose bucket it is
 * @param byStatus whether the request is for what the rule names, so that its status
 * counts
 */
record ResetTerms(KeyedAccounts accounts, boolean byStatus) {

	/** Whether a request resets the bucket of a key. */
	boolean allow(Charging charging, RequestOutcome outcome, String key) {
		if (this.byStatus && charging.resetsByStatus(outcome)) {
			return true;
		}
		if (charging.resetsBySuccess(outcome)) {
			for (Account account : outcome.authenticated()) {
				if (this.accounts.isOf(account, key)) {
					return true;
				}
			}
		}
		return false;
	}

}
