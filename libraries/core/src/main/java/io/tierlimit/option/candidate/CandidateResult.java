package io.tierlimit.option.candidate;

import java.util.List;

import io.tierlimit.RuleDecision;
import io.tierlimit.limit.Ban;
import org.jspecify.annotations.Nullable;

/**
 * The decision of a candidate, compared with the decision of its rule on the same
 * request.
 */
enum CandidateResult {

	/** Both allow the request, or both reject it. */
	SAME,

	/** The candidate would reject the request, and the rule allows it. */
	REJECTED_ONLY_BY_CANDIDATE,

	/** The rule rejects the request, and the candidate would allow it. */
	REJECTED_ONLY_BY_RULE;

	/**
	 * Compares the decision of a candidate with the last decision of its rule before it.
	 * Returns {@code null} if there is no such decision, and during a ban, because the
	 * rule then rejects independently of its limit.
	 */
	static @Nullable CandidateResult of(List<RuleDecision> decisions, int index, String rule) {
		RuleDecision candidate = decisions.get(index);
		for (int i = index - 1; i >= 0; i--) {
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
