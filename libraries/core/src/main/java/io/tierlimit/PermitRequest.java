package io.tierlimit;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * A program's request for permits of one rule, from the bucket of a key.
 *
 * @param rule the rule's id
 * @param key the parts of the key: one for each name of the rule's scope except the plan,
 * in alphabetical order, and one more for its key expression; none for a global rule
 * @param cost the number of permits, 0 or more
 * @param plan the caller's plan, where the rule's scope or limits have plans;
 * {@code null} for none
 */
public record PermitRequest(String rule, List<String> key, long cost, @Nullable String plan) {

	/**
	 * Creates a request.
	 * @throws IllegalArgumentException if the cost is negative
	 */
	public PermitRequest {
		if (cost < 0) {
			throw new IllegalArgumentException("The cost must not be negative (was " + cost + ")");
		}
		key = List.copyOf(key);
	}

	/**
	 * Requests one permit.
	 * @param rule the rule's id
	 * @param key the parts of the key
	 * @return a request without a plan
	 */
	public static PermitRequest of(String rule, String... key) {
		return new PermitRequest(rule, List.of(key), 1, null);
	}

	/**
	 * Returns the same request with another cost.
	 * @param cost permits, 0 or more
	 * @return a request
	 */
	public PermitRequest costing(long cost) {
		return new PermitRequest(this.rule, this.key, cost, this.plan);
	}

	/**
	 * Returns the same request on another plan.
	 * @param plan the caller's plan, or {@code null}
	 * @return a request
	 */
	public PermitRequest on(@Nullable String plan) {
		return new PermitRequest(this.rule, this.key, this.cost, plan);
	}

}
