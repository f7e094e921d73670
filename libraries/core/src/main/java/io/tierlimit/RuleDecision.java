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
	 * Whether the rule only counts violations for this key and rejects nothing.
	 * @return whether the rule is in shadow mode, or is not enforced for this key
	 */
	boolean shadow();

	/**
	 * Whether the level of the bucket is hidden from clients.
	 * @return whether the rule has {@code headers: hidden}
	 */
	boolean hidden();

	/**
	 * The rule from which the deciding rule is derived, such as the rule of a candidate.
	 * In a verdict, the decision of that rule precedes this decision.
	 * @return the id of the rule; {@code null} if the deciding rule is not derived
	 */
	default @Nullable String derivedFrom() {
		return null;
	}

	/**
	 * The key of the bucket, within the rule.
	 * @return the key as the store has it, with sensitive parts hashed; empty for a rule
	 * with one bucket
	 */
	String key();

	/**
	 * The cost of the request.
	 * @return permits, 0 or more
	 */
	long cost();

	/**
	 * The limit that applied: the limit of the rule, of the caller's plan, or of an
	 * override.
	 * @return the limit
	 */
	Limit limit();

	/**
	 * The decision of the bucket.
	 * @return whether the bucket had enough permits, the remaining permits, and the times
	 * until more permits are available
	 */
	Decision decision();

	/**
	 * Whether this instance decided with a bucket of its own, because the shared store
	 * could not be reached.
	 * @return whether the bucket belongs to this instance only
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
	 * Whether the bucket is banned.
	 * @return whether a ban is active; this decision may have started it
	 */
	default boolean banned() {
		return decision().ban() != null;
	}

	/**
	 * Whether an operator has blocked the caller.
	 * @return whether an override blocks it
	 */
	default boolean blocked() {
		return decision().blocked();
	}

	/**
	 * The outcome as one value.
	 * @return the outcome
	 */
	default RuleOutcome outcome() {
		if (!decision().allowed()) {
			return shadow() ? RuleOutcome.SHADOW_REJECTED : RuleOutcome.REJECTED;
		}
		if (local()) {
			return RuleOutcome.STORE_LOCAL;
		}
		boolean delayed = decision().delayTicks() > 0 && !shadow();
		return delayed ? RuleOutcome.DELAYED : RuleOutcome.ALLOWED;
	}

}
