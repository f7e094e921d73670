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
 */
record Due(Rule rule, @Nullable String plan, Charge charge) {

	Due costing(long cost) {
		return new Due(this.rule, this.plan,
				new Charge(this.charge.key(), this.charge.limit(), cost, this.charge.terms()));
	}

}
