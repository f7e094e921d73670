package io.tierlimit.evaluation;

import java.util.ArrayList;
import java.util.List;

import io.tierlimit.RuleDecision;
import io.tierlimit.UndecidedRule;
import io.tierlimit.Verdict;

/**
 * Combines the verdict on a request with a later verdict that does not belong to the
 * request's transaction.
 */
public final class CombinedVerdict {

	private CombinedVerdict() {
	}

	/**
	 * Combines two verdicts.
	 * @param earlier the current verdict on the request
	 * @param later a verdict on permits that code has requested
	 * @return the later outcome with all decisions; if the later verdict does not allow
	 * the request, only its violated rules are included
	 */
	public static Verdict of(Verdict earlier, Verdict later) {
		if (earlier.equals(later)) {
			return later;
		}
		List<RuleDecision> decisions = new ArrayList<>(earlier.decisions());
		if (!later.allowed()) {
			decisions.removeIf(RuleDecision::violated);
		}
		for (RuleDecision decision : later.decisions()) {
			decisions.removeIf((known) -> known.rule().equals(decision.rule()));
			decisions.add(decision);
		}
		List<UndecidedRule> undecided = new ArrayList<>(earlier.undecided());
		for (UndecidedRule rule : later.undecided()) {
			undecided.removeIf((known) -> known.rule().equals(rule.rule()));
			undecided.add(rule);
		}
		return new Verdict(later.outcome(), decisions, undecided);
	}

}
