package io.tierlimit.evaluation;

import io.tierlimit.key.RuleKey;
import io.tierlimit.rule.Account;
import io.tierlimit.rule.ChargePolicy;
import io.tierlimit.rule.RequestOutcome;

/**
 * When a request may reset the bucket that it was charged from.
 *
 * @param key identifies the account that the bucket belongs to
 * @param byStatus whether the rule's paths name the handler of the request, so that its
 * status counts
 */
record ResetPolicy(RuleKey key, boolean byStatus) {

	/** Whether a request resets the bucket of a key. */
	boolean allow(ChargePolicy chargePolicy, RequestOutcome outcome, String bucket) {
		if (this.byStatus && chargePolicy.resetsByStatus(outcome)) {
			return true;
		}
		if (chargePolicy.resetsBySuccess(outcome)) {
			for (Account account : outcome.authenticated()) {
				if (this.key.belongsTo(account, bucket)) {
					return true;
				}
			}
		}
		return false;
	}

}
