package io.tierlimit.store;

import io.tierlimit.limit.Decision;
import io.tierlimit.limit.Limit;

/**
 * One bucket's part in one request.
 *
 * @param key whose bucket
 * @param limit the arithmetic that the bucket obeys
 * @param cost permits that the request takes; 0 always passes
 * @param terms how the rule wants it to be treated
 * @param since the moment from which a charge counts that was taken, by the store's
 * clock, where giving it back needs to know; else {@link Limit#UNKNOWN}
 */
public record Charge(BucketKey key, Limit limit, long cost, Terms terms, long since) {

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
		this(key, limit, cost, terms, Limit.UNKNOWN);
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
		return new Charge(other, this.limit, this.cost, this.terms, this.since);
	}

	/**
	 * The same charge with another moment.
	 * @param moment the moment from which it counts, by the store's clock
	 * @return a charge
	 */
	public Charge since(long moment) {
		return new Charge(this.key, this.limit, this.cost, this.terms, moment);
	}

	/**
	 * The same charge once it was taken.
	 * @param decision the answer for it
	 * @param asOf the moment at which it was taken, by the store's clock
	 * @return a charge that knows since when it counts, if giving it back needs to
	 */
	public Charge taken(Decision decision, long asOf) {
		return (decision.timeToActTicks() > 0 || this.limit.notesMoments()) ? since(asOf + decision.timeToActTicks())
				: this;
	}

	/**
	 * Whether {@link #taken} may be another charge.
	 * @return whether giving it back may need to know since when it counts
	 */
	public boolean isDated() {
		return this.limit.notesMoments() || this.terms.overdraft().permits() > 0;
	}

}
