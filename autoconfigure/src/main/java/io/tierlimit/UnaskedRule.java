package io.tierlimit;

import io.tierlimit.rule.Rule;
import org.jspecify.annotations.Nullable;

/**
 * A rule that applied to a request and could not be asked, because the store could not be
 * reached.
 *
 * @param rule the rule
 * @param plan the caller's plan if the rule tells plans apart; {@code null} for none
 * @param stops whether the rule stops requests then; it lets them through otherwise
 */
public record UnaskedRule(Rule rule, @Nullable String plan, boolean stops) {

	/**
	 * What became of the request, in a word.
	 * @return the outcome
	 */
	public RuleOutcome outcome() {
		return this.stops ? RuleOutcome.STORE_DENIED : RuleOutcome.STORE_ALLOWED;
	}

}
