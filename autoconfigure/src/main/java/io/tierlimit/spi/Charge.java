package io.tierlimit.spi;

import io.tierlimit.limit.Limit;
import io.tierlimit.limit.Receipt;
import org.jspecify.annotations.Nullable;

/**
 * One bucket's part in one request.
 *
 * @param key whose bucket
 * @param limit the arithmetic that the bucket obeys
 * @param cost permits that the request takes; 0 always passes
 * @param terms how the rule wants it to be treated
 * @param receipt what a refund has to know about a charge that was acquired; {@code null}
 * before, and for a refund that adds permits whatever was charged
 */
public record Charge(BucketKey key, Limit limit, long cost, Terms terms, @Nullable Receipt receipt) {

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
	 * Creates a charge that is to be taken.
	 * @param key whose bucket
	 * @param limit the arithmetic that the bucket obeys
	 * @param cost permits that the request takes
	 * @param terms how the rule wants it to be treated
	 */
	public Charge(BucketKey key, Limit limit, long cost, Terms terms) {
		this(key, limit, cost, terms, null);
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

	/**
	 * The same charge on another bucket.
	 * @param other whose bucket
	 * @return a charge
	 */
	public Charge on(BucketKey other) {
		return new Charge(other, this.limit, this.cost, this.terms, this.receipt);
	}

	/**
	 * The same charge once it was acquired.
	 * @param acquired what a refund has to know about it
	 * @return a charge that can be refunded
	 */
	public Charge acquired(Receipt acquired) {
		return new Charge(this.key, this.limit, this.cost, this.terms, acquired);
	}

}
