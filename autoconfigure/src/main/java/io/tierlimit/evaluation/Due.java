package io.tierlimit.evaluation;

import io.tierlimit.rule.Rule;
import io.tierlimit.spi.Charge;
import io.tierlimit.spi.Terms;
import org.jspecify.annotations.Nullable;

/**
 * What a rule charges a request, before it is decided.
 *
 * @param rule the rule
 * @param plan the caller's plan if the rule tells plans apart; {@code null} for none
 * @param charge the charge
 * @param terms the terms of the same charge for a request that cannot wait
 * @param resetTerms when the request may reset the bucket; {@code null} for never
 */
record Due(Rule rule, @Nullable String plan, Charge charge, Terms terms, @Nullable ResetTerms resetTerms) {

	/** A charge that cannot wait, or does so for itself, and resets nothing. */
	Due(Rule rule, @Nullable String plan, Charge charge) {
		this(rule, plan, charge, charge.terms(), null);
	}

	Due costing(long cost) {
		return new Due(this.rule, this.plan,
				new Charge(this.charge.key(), this.charge.limit(), cost, this.charge.terms()), this.terms,
				this.resetTerms);
	}

	Due withoutWaiting() {
		if (this.charge.terms().equals(this.terms)) {
			return this;
		}
		return new Due(this.rule, this.plan,
				new Charge(this.charge.key(), this.charge.limit(), this.charge.cost(), this.terms), this.terms,
				this.resetTerms);
	}

}
