package io.tierlimit.evaluation;

import java.util.ArrayList;
import java.util.List;

import io.tierlimit.RuleDecision;
import io.tierlimit.Verdict;
import io.tierlimit.Verdict.Outcome;
import io.tierlimit.option.CallerFacts;
import io.tierlimit.spi.Caller;
import io.tierlimit.spi.InvalidRequestValueException;

/**
 * Reads the buckets of a caller for the caller itself. Consumes nothing.
 * <p>
 * The paths and methods of rules are ignored: a caller has the same bucket for all
 * requests that such a rule applies to. Rules are omitted if their bucket depends on the
 * target of a request, if responses do not show them, if they do not apply to requests,
 * and if they are not enforced for the caller.
 *
 * @param rules the current rules
 * @param evaluator reads the store
 */
public record CallerLimits(ActiveRules rules, RateLimitEvaluator evaluator) {

	/**
	 * Reads the buckets.
	 * @param caller the caller after authentication
	 * @return a verdict with one decision for each rule, in the order of the rules;
	 * {@link Outcome#INVALID} if a rule needs a client-supplied value that cannot be
	 * read; {@link Outcome#UNAVAILABLE} if the store cannot be reached
	 */
	public Verdict of(Caller caller) {
		List<RuleCharge> ruleCharges = new ArrayList<>();
		CallerFacts facts = new CallerFacts(caller);
		try {
			for (CompiledRule rule : this.rules.current().all()) {
				RuleCharge ruleCharge = rule.isShownToCallers() ? new LevelCharges(rule).ofCaller(facts) : null;
				if (ruleCharge != null && !ruleCharge.shadow()) {
					ruleCharges.add(ruleCharge);
				}
			}
		}
		catch (InvalidRequestValueException ex) {
			return new Verdict(Outcome.INVALID, List.of());
		}
		List<ChargeDecision> decisions = this.evaluator.peek(ruleCharges);
		if (decisions.size() < ruleCharges.size() || decisions.stream().anyMatch(RuleDecision::local)) {
			return new Verdict(Outcome.UNAVAILABLE, List.of());
		}
		return new Verdict(Outcome.ALLOWED, List.copyOf(decisions));
	}

}
