package io.tierlimit.store;

import io.tierlimit.limit.Limit;

/**
 * One bucket's part in one request.
 *
 * @param key whose bucket
 * @param limit the arithmetic that the bucket obeys
 * @param cost permits that the request takes; 0 always passes
 * @param terms how the rule wants it to be treated
 */
public record Charge(BucketKey key, Limit limit, long cost, Terms terms) {

	/**
	 * Creates a charge.
	 * @throws IllegalArgumentException if the cost is negative
	 */
	public Charge {
		if (cost < 0) {
			throw new IllegalArgumentException("A cost must not be negative but was " + cost);
		}
	}

	/**
	 * Creates a charge that is enforced.
	 * @param key whose bucket
	 * @param limit the arithmetic that the bucket obeys
	 * @param cost permits that the request takes
	 */
	public Charge(BucketKey key, Limit limit, long cost) {
		this(key, limit, cost, Terms.ENFORCED);
	}

	/**
	 * Whether it is charged as if it stood alone, and never refuses the request.
	 * @return whether the rule is in shadow mode
	 */
	public boolean shadow() {
		return this.terms.shadow();
	}

}
