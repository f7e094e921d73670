package io.tierlimit.evaluation;

import io.tierlimit.rule.Rule;
import io.tierlimit.spi.Charge;
import io.tierlimit.spi.ChargeOptions;
import org.jspecify.annotations.Nullable;

/**
 * What a rule charges a request, before it is decided.
 *
 * @param rule the rule
 * @param plan the caller's plan if the rule tells plans apart; {@code null} for none
 * @param charge the charge
 * @param options the terms of the same charge for a request that cannot wait
 * @param resetTerms when the request may reset the bucket; {@code null} for never
 */
record RuleCharge(Rule rule, @Nullable String plan, Charge charge, ChargeOptions options,
		@Nullable ResetPolicy resetTerms) {

	/** A charge that cannot wait, or does so for itself, and resets nothing. */
	RuleCharge(Rule rule, @Nullable String plan, Charge charge) {
		this(rule, plan, charge, charge.options(), null);
	}

	RuleCharge costing(long cost) {
		return new RuleCharge(this.rule, this.plan,
				new Charge(this.charge.key(), this.charge.limit(), cost, this.charge.options()), this.options,
				this.resetTerms);
	}

	RuleCharge withoutWaiting() {
		if (this.charge.options().equals(this.options)) {
			return this;
		}
		return new RuleCharge(this.rule, this.plan,
				new Charge(this.charge.key(), this.charge.limit(), this.charge.cost(), this.options), this.options,
				this.resetTerms);
	}

}
