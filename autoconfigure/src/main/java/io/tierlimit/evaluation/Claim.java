package io.tierlimit.evaluation;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * What a program asks of one rule: permits from the bucket of a key.
 *
 * @param rule the rule's id
 * @param key the parts of the key: one for each name of the rule's scope but the plan, in
 * alphabetical order, and one more for its key expression; none for a global rule
 * @param cost permits, 0 or more
 * @param plan the caller's plan, where the rule's scope or limits have plans;
 * {@code null} for none
 */
public record Claim(String rule, List<String> key, long cost, @Nullable String plan) {

	/**
	 * Creates a claim.
	 * @throws IllegalArgumentException if the cost is negative
	 */
	public Claim {
		if (cost < 0) {
			throw new IllegalArgumentException("A cost must not be negative but was " + cost);
		}
		key = List.copyOf(key);
	}

	/**
	 * Claims one permit.
	 * @param rule the rule's id
	 * @param key the parts of the key
	 * @return a claim without a plan
	 */
	public static Claim of(String rule, String... key) {
		return new Claim(rule, List.of(key), 1, null);
	}

	/**
	 * The same claim at another cost.
	 * @param cost permits, 0 or more
	 * @return a claim
	 */
	public Claim costing(long cost) {
		return new Claim(this.rule, this.key, cost, this.plan);
	}

	/**
	 * The same claim on another plan.
	 * @param plan the caller's plan, or {@code null}
	 * @return a claim
	 */
	public Claim on(@Nullable String plan) {
		return new Claim(this.rule, this.key, this.cost, plan);
	}

}
