package io.tierlimit.actuate;

import io.tierlimit.option.candidate.CandidateResult;
import org.jspecify.annotations.Nullable;

/**
 * A candidate, compared with its rule since this instance started.
 *
 * @param id the id of the candidate
 * @param compared the number of requests that both have decided
 * @param rejectedOnlyByCandidate the number of these that only the candidate would reject
 * @param rejectedOnlyByRule the number of these that only the rule has rejected
 * @param rejectedMorePercent how many more of these the candidate would reject, in
 * percent, rounded to hundredths; negative if it would reject fewer; absent if none were
 * compared
 */
record CandidateDescriptor(String id, long compared, long rejectedOnlyByCandidate, long rejectedOnlyByRule,
		@Nullable Double rejectedMorePercent) {

	static CandidateDescriptor of(String id, RuleTotals totals) {
		long more = totals.of(id, CandidateResult.REJECTED_ONLY_BY_CANDIDATE);
		long fewer = totals.of(id, CandidateResult.REJECTED_ONLY_BY_RULE);
		long compared = totals.of(id, CandidateResult.SAME) + more + fewer;
		return new CandidateDescriptor(id, compared, more, fewer,
				(compared > 0) ? Math.round(10_000.0 * (more - fewer) / compared) / 100.0 : null);
	}

}
