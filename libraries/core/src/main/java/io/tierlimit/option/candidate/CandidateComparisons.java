package io.tierlimit.option.candidate;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.tierlimit.RuleDecision;
import io.tierlimit.key.RuleKey;
import io.tierlimit.option.OptionMeter;
import io.tierlimit.option.RuleOption;
import io.tierlimit.option.RuleSetOption;
import io.tierlimit.rule.DerivedFrom;
import io.tierlimit.rule.KebabCase;
import io.tierlimit.rule.Rule;
import org.jspecify.annotations.Nullable;

/**
 * Compares the decisions of candidates with the decisions of their rules, and counts the
 * results.
 */
public final class CandidateComparisons implements RuleSetOption {

	/** The results by the id of each rule that has a candidate. */
	private final Map<String, Map<CandidateResult, LongAdder>> results = new ConcurrentHashMap<>();

	@Override
	public @Nullable RuleOption of(Rule rule, RuleKey key) {
		if (rule.options().find(CandidateLimits.class) != null) {
			this.results.computeIfAbsent(rule.id(), (id) -> zeros());
			return new Compared(this, rule.id());
		}
		DerivedFrom origin = rule.options().find(DerivedFrom.class);
		return (origin != null && rule.id().equals(CandidateLimits.idOf(origin.rule())))
				? new Candidate(this, origin.rule()) : null;
	}

	/** Takes over the counters of rules that already had a candidate. */
	@Override
	public void continueFrom(RuleSetOption replaced) {
		CandidateComparisons earlier = (CandidateComparisons) replaced;
		this.results.replaceAll((rule, zeros) -> earlier.results.getOrDefault(rule, zeros));
	}

	private static Map<CandidateResult, LongAdder> zeros() {
		return Stream.of(CandidateResult.values())
			.collect(Collectors.toMap((result) -> result, (result) -> new LongAdder()));
	}

	private LongAdder counter(String rule, CandidateResult result) {
		return Objects.requireNonNull(Objects.requireNonNull(this.results.get(rule)).get(result));
	}

	/**
	 * A rule that has a candidate.
	 */
	private record Compared(CandidateComparisons comparisons, String rule) implements RuleOption {

		@Override
		public List<OptionMeter> meters() {
			return Stream.of(CandidateResult.values())
				.map((result) -> OptionMeter.counter("tierlimit.candidate.requests",
						"Requests that a rule and its candidate have decided", KebabCase.of(result),
						() -> this.comparisons.counter(this.rule, result).sum()))
				.toList();
		}

		@Override
		public void describe(Map<String, Object> description) {
			long more = this.comparisons.counter(this.rule, CandidateResult.REJECTED_ONLY_BY_CANDIDATE).sum();
			long fewer = this.comparisons.counter(this.rule, CandidateResult.REJECTED_ONLY_BY_RULE).sum();
			long compared = this.comparisons.counter(this.rule, CandidateResult.SAME).sum() + more + fewer;
			Map<String, Object> candidate = new LinkedHashMap<>();
			candidate.put("id", CandidateLimits.idOf(this.rule));
			candidate.put("compared", compared);
			candidate.put("rejectedOnlyByCandidate", more);
			candidate.put("rejectedOnlyByRule", fewer);
			if (compared > 0) {
				candidate.put("rejectedMorePercent", Math.round(10_000.0 * (more - fewer) / compared) / 100.0);
			}
			description.put("candidate", candidate);
		}

	}

	/**
	 * The candidate of a rule.
	 */
	private record Candidate(CandidateComparisons comparisons, String rule) implements RuleOption {

		@Override
		public void decided(List<RuleDecision> decisions, int index) {
			CandidateResult result = CandidateResult.of(decisions, index, this.rule);
			if (result != null) {
				this.comparisons.counter(this.rule, result).increment();
			}
		}

		@Override
		public void describe(Map<String, Object> description) {
			description.put("candidateOf", this.rule);
		}

	}

}
