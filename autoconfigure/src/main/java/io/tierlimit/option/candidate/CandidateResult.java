package io.tierlimit.option.candidate;

import java.util.List;

import io.tierlimit.RuleDecision;
import io.tierlimit.limit.Ban;
import org.jspecify.annotations.Nullable;

/**
 * The decision of a candidate, compared with that of its rule on the same request.
 */
public enum CandidateResult {

	/** Both allow the request, or both reject it. */
	SAME,

	/** The candidate would reject the request, and the rule allows it. */
	REJECTED_ONLY_BY_CANDIDATE,

	/** The rule rejects the request, and the candidate would allow it. */
	REJECTED_ONLY_BY_RULE;

	/**
	 * Compares a decision.
	 * @param decisions the decisions of a verdict
	 * @param index the index of one of them
	 * @return the result if it is the decision of a candidate, and the rule has decided,
	 * too; otherwise {@code null}. A request during a ban is not compared, because the
	 * rule rejects it independently of its limit
	 */
	public static @Nullable CandidateResult of(List<RuleDecision> decisions, int index) {
		RuleDecision candidate = decisions.get(index);
		String rule = candidate.candidateOf();
		for (int i = index - 1; i >= 0 && rule != null; i--) {
			RuleDecision other = decisions.get(i);
			if (other.rule().equals(rule)) {
				Ban ban = other.decision().ban();
				if (ban != null && !ban.started()) {
					return null;
				}
				boolean allowed = candidate.decision().allowed();
				return (allowed == other.decision().allowed()) ? SAME
						: allowed ? REJECTED_ONLY_BY_RULE : REJECTED_ONLY_BY_CANDIDATE;
			}
		}
		return null;
	}

}
