package io.tierlimit;

import java.time.Duration;
import java.util.List;

/**
 * The answer for the request: every decision, and whether it may go on.
 *
 * @param outcome whether the request may go on
 * @param decisions a decision for every rule that charged the request, shadow rules among
 * them; empty if none did
 * @param undecided the rules that applied and have no decision, because the store could
 * not be reached; if the outcome is {@link Outcome#UNAVAILABLE}, those that reject the
 * request are among them
 */
public record Verdict(Outcome outcome, List<RuleDecision> decisions, List<UndecidedRule> undecided) {

	/** The verdict for a request that no rule applies to. */
	public static final Verdict UNLIMITED = new Verdict(Outcome.ALLOWED, List.of());

	/**
	 * Creates a verdict.
	 */
	public Verdict {
		decisions = List.copyOf(decisions);
		undecided = List.copyOf(undecided);
	}

	/**
	 * Creates a verdict with a decision of every rule.
	 * @param outcome whether the request may go on
	 * @param decisions a decision for every rule that charged the request
	 */
	public Verdict(Outcome outcome, List<RuleDecision> decisions) {
		this(outcome, decisions, List.of());
	}

	/**
	 * Whether the request may go on.
	 * @return whether the outcome is {@link Outcome#ALLOWED}
	 */
	public boolean allowed() {
		return this.outcome == Outcome.ALLOWED;
	}

	/**
	 * The rules that refused the request.
	 * @return their decisions, in the order of the rules; empty unless the outcome is
	 * {@link Outcome#REFUSED}
	 */
	public List<RuleDecision> violated() {
		return this.decisions.stream().filter(RuleDecision::violated).toList();
	}

	/**
	 * How long whoever is allowed has to wait, because permits were reserved that have
	 * not come yet.
	 * @return the longest time of all enforced rules, from the moment of the decision;
	 * zero if there was enough
	 */
	public Duration timeToAct() {
		Duration longest = Duration.ZERO;
		for (RuleDecision decision : this.decisions) {
			Duration time = decision.decision().timeToAct();
			if (!decision.shadow() && time.compareTo(longest) > 0) {
				longest = time;
			}
		}
		return longest;
	}

	/**
	 * Whether a request may go on.
	 */
	public enum Outcome {

		/** Every enforced rule was paid. */
		ALLOWED,

		/** At least one enforced rule refused; nothing was charged. */
		REFUSED,

		/** A rule is not for anonymous callers; nothing was charged. */
		DENIED,

		/**
		 * A client-supplied value that a rule needs cannot be read, or is not a valid
		 * cost; nothing was charged.
		 */
		INVALID,

		/**
		 * The store can't be reached, and a rule stops requests then; nothing was
		 * charged.
		 */
		UNAVAILABLE

	}

}
