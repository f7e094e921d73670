package io.tierlimit;

import org.jspecify.annotations.Nullable;

/**
 * A rule that applied to a request and has no decision, because the store could not be
 * reached.
 */
public interface UndecidedRule {

	/**
	 * The rule.
	 * @return the id of the rule
	 */
	String rule();

	/**
	 * The caller's plan.
	 * @return the plan if the rule has limits or buckets for plans; {@code null} for none
	 */
	@Nullable String plan();

	/**
	 * Whether the rule rejects requests while the store cannot be reached.
	 * @return whether the rule rejects them; otherwise it allows them
	 */
	boolean rejects();

	/**
	 * The outcome as one value.
	 * @return {@link RuleOutcome#STORE_DENIED} or {@link RuleOutcome#STORE_ALLOWED}
	 */
	default RuleOutcome outcome() {
		return rejects() ? RuleOutcome.STORE_DENIED : RuleOutcome.STORE_ALLOWED;
	}

}
