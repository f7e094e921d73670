package io.tierlimit.evaluation;

import io.tierlimit.UndecidedRule;
import org.jspecify.annotations.Nullable;

/**
 * A rule without a decision, with the charge that was not decided.
 *
 * @param ruleCharge the charge
 * @param rejects whether the rule rejects requests while the store cannot be reached
 */
record UndecidedCharge(RuleCharge ruleCharge, boolean rejects) implements UndecidedRule {

	@Override
	public String rule() {
		return this.ruleCharge.rule().id();
	}

	@Override
	public @Nullable String plan() {
		return this.ruleCharge.plan();
	}

}
