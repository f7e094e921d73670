package io.tierlimit;

import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;

import io.tierlimit.limit.Algorithm;
import org.jspecify.annotations.Nullable;

/**
 * The limits of a candidate in a {@link RuleDefinition}. They are validated with the
 * rule, at startup. Immutable: every method with a parameter returns a changed copy.
 */
public final class CandidateDefinition {

	/** A candidate without limits. */
	static final CandidateDefinition EMPTY = new CandidateDefinition(null, LimitDefinition.EMPTY, null, Map.of());

	private final @Nullable Algorithm algorithm;

	private final LimitDefinition limit;

	private final @Nullable Duration start;

	private final Map<String, LimitDefinition> plans;

	private CandidateDefinition(@Nullable Algorithm algorithm, LimitDefinition limit, @Nullable Duration start,
			Map<String, LimitDefinition> plans) {
		this.algorithm = algorithm;
		this.limit = limit;
		this.start = start;
		this.plans = plans;
	}

	/**
	 * Sets the algorithm; by default that of the rule.
	 * @param algorithm the algorithm
	 * @return a copy of this candidate with the algorithm
	 */
	public CandidateDefinition algorithm(Algorithm algorithm) {
		return new CandidateDefinition(Objects.requireNonNull(algorithm), this.limit, this.start, this.plans);
	}

	/**
	 * The algorithm.
	 * @return the algorithm; {@code null} for that of the rule
	 */
	public @Nullable Algorithm algorithm() {
		return this.algorithm;
	}

	/**
	 * Changes the limit. It replaces the limit of the rule as a whole; by default, only
	 * plans have other limits.
	 * @param change returns a changed copy of the limit
	 * @return a copy of this candidate with the limit
	 */
	public CandidateDefinition limit(UnaryOperator<LimitDefinition> change) {
		return new CandidateDefinition(this.algorithm, change.apply(this.limit), this.start, this.plans);
	}

	/**
	 * The limit of callers without a plan, or with a plan that is not listed.
	 * @return the rate, burst and capacity; without numbers for the limit of the rule
	 */
	public LimitDefinition limit() {
		return this.limit;
	}

	/**
	 * Sets the start of fixed windows; by default each key has its own start.
	 * @param start an offset from 1970-01-01T00:00Z, shorter than the period
	 * @return a copy of this candidate with this start
	 */
	public CandidateDefinition start(Duration start) {
		return new CandidateDefinition(this.algorithm, this.limit, Objects.requireNonNull(start), this.plans);
	}

	/**
	 * The start of fixed windows.
	 * @return an offset from 1970-01-01T00:00Z; {@code null} if it is not set
	 */
	public @Nullable Duration start() {
		return this.start;
	}

	/**
	 * Sets the limit of a plan that the rule lists. Other plans have the limits of the
	 * rule.
	 * @param plan the name of the plan
	 * @param limit sets the rate, burst and capacity of an empty limit
	 * @return a copy of this candidate with the plan
	 */
	public CandidateDefinition plan(String plan, UnaryOperator<LimitDefinition> limit) {
		Map<String, LimitDefinition> plans = new LinkedHashMap<>(this.plans);
		plans.put(plan, limit.apply(LimitDefinition.EMPTY));
		return new CandidateDefinition(this.algorithm, this.limit, this.start, Collections.unmodifiableMap(plans));
	}

	/**
	 * The limits of plans.
	 * @return the limits by the names of the plans
	 */
	public Map<String, LimitDefinition> plans() {
		return this.plans;
	}

}
