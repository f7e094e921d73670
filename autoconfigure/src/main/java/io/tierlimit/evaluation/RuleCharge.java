package io.tierlimit.evaluation;

import io.tierlimit.rule.Rule;
import io.tierlimit.spi.Charge;
import io.tierlimit.spi.ChargeOptions;
import org.jspecify.annotations.Nullable;

/**
 * The charge of a rule for a request, before it is decided.
 *
 * @param rule the rule
 * @param plan the caller's plan if the rule distinguishes plans; {@code null} for none
 * @param charge the charge
 * @param options the options of the same charge for a request that cannot wait
 * @param resetPolicy when the request may reset the bucket; {@code null} for never
 */
record RuleCharge(Rule rule, @Nullable String plan, Charge charge, ChargeOptions options,
		@Nullable ResetPolicy resetPolicy) {

	/** A charge that cannot wait, or whose caller waits, and that resets nothing. */
	RuleCharge(Rule rule, @Nullable String plan, Charge charge) {
		this(rule, plan, charge, charge.options(), null);
	}

	RuleCharge costing(long cost) {
		return new RuleCharge(this.rule, this.plan,
				new Charge(this.charge.key(), this.charge.limit(), cost, this.charge.options()), this.options,
				this.resetPolicy);
	}

	RuleCharge withoutWaiting() {
		if (this.charge.options().equals(this.options)) {
			return this;
		}
		return new RuleCharge(this.rule, this.plan,
				new Charge(this.charge.key(), this.charge.limit(), this.charge.cost(), this.options), this.options,
				this.resetPolicy);
	}

}
