package io.tierlimit;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.function.Predicate;

/**
 * The result of checking a request or a call: all decisions, and whether it is allowed.
 *
 * @param outcome whether the request is allowed, or why not
 * @param decisions a decision of every rule that applied, including rules in shadow mode;
 * empty if no rule applied
 * @param undecided the rules that applied and have no decision, because the store could
 * not be reached; if the outcome is {@link Outcome#UNAVAILABLE}, they include the rules
 * that reject the request
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
	 * @param outcome whether the request is allowed, or why not
	 * @param decisions a decision of every rule that applied
	 */
	public Verdict(Outcome outcome, List<RuleDecision> decisions) {
		this(outcome, decisions, List.of());
	}

	/**
	 * Whether the request is allowed.
	 * @return whether the outcome is {@link Outcome#ALLOWED}
	 */
	public boolean allowed() {
		return this.outcome == Outcome.ALLOWED;
	}

	/**
	 * The decisions of the violated rules.
	 * @return the decisions in the order of the rules; empty unless the outcome is
	 * {@link Outcome#REJECTED}
	 */
	public List<RuleDecision> violated() {
		return this.decisions.stream().filter(RuleDecision::violated).toList();
	}

	/**
	 * Whether the caller is banned.
	 * @return whether a violated rule has banned it; false unless the outcome is
	 * {@link Outcome#REJECTED}
	 */
	public boolean banned() {
		return isAnyViolated(RuleDecision::banned);
	}

	/**
	 * Whether an operator has blocked the caller.
	 * @return whether a violated rule has an override that blocks it; false unless the
	 * outcome is {@link Outcome#REJECTED}
	 */
	public boolean blocked() {
		return isAnyViolated(RuleDecision::blocked);
	}

	private boolean isAnyViolated(Predicate<RuleDecision> reason) {
		for (int i = 0; i < this.decisions.size(); i++) {
			RuleDecision decision = this.decisions.get(i);
			if (decision.violated() && reason.test(decision)) {
				return true;
			}
		}
		return false;
	}

	/**
	 * The time that an allowed request must wait, because it has reserved permits that
	 * are not available yet.
	 * @return the longest time of all enforced rules, from the time of the decision; zero
	 * if there were enough permits
	 */
	public Duration delay() {
		long longest = 0;
		for (RuleDecision decision : this.decisions) {
			long ticks = decision.decision().delayTicks();
			if (ticks > longest && !decision.shadow()) {
				longest = ticks;
			}
		}
		return Duration.of(longest, ChronoUnit.MICROS);
	}

	/**
	 * The result as one value.
	 */
	public enum Outcome {

		/** Every enforced rule allows the request. */
		ALLOWED,

		/**
		 * At least one enforced rule is violated; no permits of enforced rules were
		 * consumed.
		 */
		REJECTED,

		/** A rule denies callers without a value for its key; nothing was consumed. */
		DENIED,

		/**
		 * A client-supplied value that a rule needs cannot be read, or is not a valid
		 * cost; nothing was consumed.
		 */
		INVALID,

		/**
		 * The store cannot be reached, and a rule rejects requests in this case; nothing
		 * was consumed.
		 */
		UNAVAILABLE

	}

}
