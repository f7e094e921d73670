package io.tierlimit.evaluation;

import io.tierlimit.limit.Decision;
import io.tierlimit.rule.Rule;
import io.tierlimit.store.Charge;

/**
 * What a rule says to a request.
 *
 * @param rule the rule
 * @param charge the rule's part in the request
 * @param decision the answer for the charge
 */
public record RuleDecision(Rule rule, Charge charge, Decision decision) {

	/**
	 * Whether this rule refuses the request.
	 * @return whether the rule is enforced and its bucket didn't have enough permits
	 */
	public boolean violated() {
		return !this.rule.isShadow() && !this.decision.allowed();
	}

}
