package io.tierlimit.evaluation;

import io.tierlimit.UndecidedRule;
import org.jspecify.annotations.Nullable;

/**
 * A rule without a decision, with the charge that it would have made.
 *
 * @param due the charge
 * @param rejects whether the rule rejects requests while the store cannot be reached
 */
record UndecidedCharge(Due due, boolean rejects) implements UndecidedRule {

	@Override
	public String rule() {
		return this.due.rule().id();
	}

	@Override
	public @Nullable String plan() {
		return this.due.plan();
	}

}
