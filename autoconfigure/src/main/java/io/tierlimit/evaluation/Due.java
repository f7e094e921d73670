package io.tierlimit.evaluation;

import io.tierlimit.rule.Rule;
import io.tierlimit.store.Charge;

import org.jspecify.annotations.Nullable;

/**
 * What a rule charges a request, before it is decided.
 *
 * @param rule the rule
 * @param plan the caller's plan if the rule tells plans apart; {@code null} for none
 * @param charge the charge
 * @param resetTerms when the request may reset the bucket; {@code null} for never
 */
record Due(Rule rule, @Nullable String plan, Charge charge, @Nullable ResetTerms resetTerms) {

	Due(Rule rule, @Nullable String plan, Charge charge) {
		this(rule, plan, charge, null);
	}

	Due costing(long cost) {
		return new Due(this.rule, this.plan,
				new Charge(this.charge.key(), this.charge.limit(), cost, this.charge.terms()), this.resetTerms);
	}

}
