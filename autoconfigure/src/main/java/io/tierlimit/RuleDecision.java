package io.tierlimit;

import io.tierlimit.limit.Decision;
import io.tierlimit.limit.Limit;
import org.jspecify.annotations.Nullable;

/**
 * The decision of one rule on a request or a call.
 */
public interface RuleDecision {

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
	 * Whether the rule is in shadow mode: it rejects nothing.
	 * @return whether its mode is {@code shadow}
	 */
	boolean shadow();

	/**
	 * Whether clients are not to know the level of the bucket.
	 * @return whether the rule has {@code headers: hidden}
	 */
	boolean hidden();

	/**
	 * The bucket that decided, within the rule.
	 * @return the key as stores have it, with sensitive parts hashed; empty for a rule
	 * with one bucket
	 */
	String key();

	/**
	 * The cost of the request.
	 * @return permits, 0 or more
	 */
	long cost();

	/**
	 * The limit that applied: the rule's own, or that of the plan.
	 * @return the limit
	 */
	Limit limit();

	/**
	 * The decision of the bucket.
	 * @return whether it had enough permits, what is left, and the times until more
	 */
	Decision decision();

	/**
	 * Whether this instance decided by itself, because the store that instances share
	 * could not be reached.
	 * @return whether the bucket is one of this instance
	 */
	boolean local();

	/**
	 * Whether this rule rejects the request.
	 * @return whether the rule is enforced and its bucket did not have enough permits
	 */
	default boolean violated() {
		return outcome() == RuleOutcome.REJECTED;
	}

	/**
	 * The outcome in one word.
	 * @return the outcome
	 */
	default RuleOutcome outcome() {
		if (!decision().allowed()) {
			return shadow() ? RuleOutcome.SHADOW_REJECTED : RuleOutcome.REJECTED;
		}
		if (local()) {
			return RuleOutcome.STORE_LOCAL;
		}
		boolean budget = decision().timeToActTicks() > 0 && !shadow();
		return budget ? RuleOutcome.DELAYED : RuleOutcome.ALLOWED;
	}

}
