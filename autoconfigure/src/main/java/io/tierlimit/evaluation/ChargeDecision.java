package io.tierlimit.evaluation;

import io.tierlimit.RuleDecision;
import io.tierlimit.limit.Decision;
import io.tierlimit.limit.Limit;
import io.tierlimit.rule.RequestOutcome;
import io.tierlimit.rule.Rule;
import io.tierlimit.spi.Charge;
import org.jspecify.annotations.Nullable;

/**
 * The decision of a rule, with the charge that a refund needs.
 *
 * @param rule the rule
 * @param plan the caller's plan if the rule has limits or buckets for plans; {@code null}
 * for none
 * @param charge the rule's part in the request
 * @param decision the decision for the charge
 * @param local whether this instance decided by itself
 * @param resetTerms when the request may reset the bucket; {@code null} for never
 */
public record ChargeDecision(Rule rule, @Nullable String plan, Charge charge, Decision decision, boolean local,
		@Nullable ResetTerms resetTerms) implements RuleDecision {

	/**
	 * Creates a decision of the store on a request that resets nothing, under a rule
	 * without plans.
	 * @param rule the rule
	 * @param charge the rule's part in the request
	 * @param decision the decision for the charge
	 */
	public ChargeDecision(Rule rule, Charge charge, Decision decision) {
		this(rule, null, charge, decision, false, null);
	}

	/**
	 * The charge of a public decision.
	 * @throws IllegalArgumentException if it was not made by an evaluator
	 */
	static ChargeDecision of(RuleDecision decision) {
		if (decision instanceof ChargeDecision charged) {
			return charged;
		}
		throw new IllegalArgumentException("The verdict must be one of this RateLimiter, but contains a "
				+ decision.getClass().getName() + ". Pass the verdict that the limiter returned.");
	}

	ChargeDecision after(long ticks) {
		return (ticks == 0) ? this : new ChargeDecision(this.rule, this.plan, this.charge, this.decision.after(ticks),
				this.local, this.resetTerms);
	}

	/** Whether the end of the request resets the bucket. */
	boolean isResetBy(RequestOutcome outcome) {
		return this.resetTerms != null && this.resetTerms.allow(this.rule.charging(), outcome, key());
	}

	@Override
	public String key() {
		return this.charge.key().key();
	}

	@Override
	public long cost() {
		return this.charge.cost();
	}

	@Override
	public Limit limit() {
		return this.charge.limit();
	}

}
