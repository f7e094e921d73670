package io.tierlimit.evaluation;

import io.tierlimit.limit.Decision;
import io.tierlimit.rule.Ending;
import io.tierlimit.rule.Rule;
import io.tierlimit.store.Charge;

import org.jspecify.annotations.Nullable;

/**
 * What a rule says to a request.
 *
 * @param rule the rule
 * @param plan the caller's plan if the rule tells plans apart; {@code null} for none
 * @param charge the rule's part in the request
 * @param decision the answer for the charge
 * @param local whether this instance decided it by itself, because the store that
 * instances share could not be reached
 * @param resetTerms when the request may reset the bucket; {@code null} for never
 */
public record RuleDecision(Rule rule, @Nullable String plan, Charge charge, Decision decision, boolean local,
		@Nullable ResetTerms resetTerms) {

	/**
	 * Creates a decision on a request that resets nothing.
	 * @param rule the rule
	 * @param plan the caller's plan if the rule tells plans apart; {@code null} for none
	 * @param charge the rule's part in the request
	 * @param decision the answer for the charge
	 * @param local whether this instance decided it by itself
	 */
	public RuleDecision(Rule rule, @Nullable String plan, Charge charge, Decision decision, boolean local) {
		this(rule, plan, charge, decision, local, null);
	}

	/**
	 * Creates a decision of the store, under a rule that doesn't tell plans apart.
	 * @param rule the rule
	 * @param charge the rule's part in the request
	 * @param decision the answer for the charge
	 */
	public RuleDecision(Rule rule, Charge charge, Decision decision) {
		this(rule, null, charge, decision, false);
	}

	RuleDecision after(long ticks) {
		return (ticks == 0) ? this : new RuleDecision(this.rule, this.plan, this.charge, this.decision.after(ticks),
				this.local, this.resetTerms);
	}

	/** Whether the end of the request resets the bucket. */
	boolean isResetBy(Ending ending) {
		return this.resetTerms != null && this.resetTerms.allow(this.rule.charging(), ending, this.charge.key().key());
	}

	/**
	 * Whether this rule refuses the request.
	 * @return whether the rule is enforced and its bucket didn't have enough permits
	 */
	public boolean violated() {
		return outcome() == RuleOutcome.REFUSED;
	}

	/**
	 * What the rule says, in a word.
	 * @return the outcome
	 */
	public RuleOutcome outcome() {
		if (!this.decision.allowed()) {
			return this.rule.isShadow() ? RuleOutcome.SHADOW_REFUSED : RuleOutcome.REFUSED;
		}
		if (this.local) {
			return RuleOutcome.STORE_LOCAL;
		}
		boolean waits = this.decision.timeToActTicks() > 0 && !this.rule.isShadow();
		return waits ? RuleOutcome.WAITED : RuleOutcome.ALLOWED;
	}

}
