package io.tierlimit;

import java.time.Duration;
import java.util.function.UnaryOperator;

import io.tierlimit.limit.Algorithm;

/**
 * The limits of a candidate in a {@link RuleDefinition}. They are validated with the
 * rule, at startup. Immutable: every method with a parameter returns a changed copy.
 */
public final class CandidateDefinition {

	/** A candidate without limits. */
	static final CandidateDefinition EMPTY = new CandidateDefinition(DefinitionTexts.EMPTY);

	private final DefinitionTexts texts;

	private CandidateDefinition(DefinitionTexts texts) {
		this.texts = texts;
	}

	/**
	 * Sets the algorithm; by default the algorithm of the rule.
	 * @param algorithm the algorithm
	 * @return a copy of this candidate with the algorithm
	 */
	public CandidateDefinition algorithm(Algorithm algorithm) {
		return new CandidateDefinition(this.texts.set("algorithm", algorithm));
	}

	/**
	 * Sets the limit of callers without a listed plan. It replaces the rule's limit as a
	 * whole. By default, the candidate has the limit of the rule, and only its plans
	 * differ.
	 * @param change sets the numbers of an empty limit
	 * @return a copy of this candidate with the limit
	 */
	public CandidateDefinition limit(UnaryOperator<LimitDefinition> change) {
		return new CandidateDefinition(this.texts.group("", change.apply(LimitDefinition.EMPTY).texts()));
	}

	/**
	 * Limits the permits that are in use at the same time, instead of a rate. Sets the
	 * algorithm {@code CONCURRENCY}.
	 * @param permits the number of permits for callers without a listed plan, 1 to 1,000
	 * @return a copy of this candidate with the limit
	 */
	public CandidateDefinition concurrency(long permits) {
		return algorithm(Algorithm.CONCURRENCY).limit((limit) -> limit.limit(permits));
	}

	/**
	 * Sets the longest time for which a request counts, with the algorithm
	 * {@code CONCURRENCY}; by default an hour. After this time, its permits are available
	 * again even if the request has not ended.
	 * @param time the time, 1 second to 7 days
	 * @return a copy of this candidate with the time
	 */
	public CandidateDefinition maxDuration(Duration time) {
		return new CandidateDefinition(this.texts.set("max-duration", time.toString()));
	}

	/**
	 * Sets the wait that rejected requests report, with the algorithm
	 * {@code CONCURRENCY}; by default none, because it is not known when a request ends.
	 * @param wait the wait, at most 3,650 days
	 * @return a copy of this candidate with the wait
	 */
	public CandidateDefinition retryAfterHint(Duration wait) {
		return new CandidateDefinition(this.texts.set("retry-after-hint", wait.toString()));
	}

	/**
	 * Sets the start of fixed windows; by default each key has its own start.
	 * @param start an offset from 1970-01-01T00:00Z, shorter than the period
	 * @return a copy of this candidate with this start
	 */
	public CandidateDefinition windowStart(Duration start) {
		return new CandidateDefinition(this.texts.set("window.start", start.toString()));
	}

	/**
	 * Sets the limit of a plan that the rule also lists. Plans that the candidate does
	 * not list have the limits of the rule.
	 * @param plan the name of the plan
	 * @param limit sets the numbers of an empty limit
	 * @return a copy of this candidate with the plan
	 */
	public CandidateDefinition plan(String plan, UnaryOperator<LimitDefinition> limit) {
		return new CandidateDefinition(this.texts.plan(plan, limit.apply(LimitDefinition.EMPTY).texts()));
	}

	DefinitionTexts texts() {
		return this.texts;
	}

}
