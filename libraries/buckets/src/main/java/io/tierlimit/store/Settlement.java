package io.tierlimit.store;

import io.tierlimit.limit.BucketState;
import io.tierlimit.limit.Overrun;

/**
 * The replacement of the cost of an acquired charge by its actual cost.
 *
 * @param charge the charge. To return permits, it must have its receipt
 * @param actual the actual cost in permits, 0 or more; 0 for a refund
 * @param maxDebt the permits that the bucket may owe afterwards, because the actual cost
 * is above the cost of the charge: 0 or more
 * @param reserved whether the bucket may owe permits to reservations, which rely on them.
 * These permits are not returned to the bucket
 */
public record Settlement(Charge charge, long actual, long maxDebt, boolean reserved) {

	/**
	 * Creates a settlement.
	 * @throws IllegalArgumentException if a number is negative, or if the limit of the
	 * charge only supports refunds, because its permits cannot be reserved
	 */
	public Settlement {
		if (actual < 0 || maxDebt < 0) {
			throw new IllegalArgumentException(
					"The actual cost and the debt must not be negative (was " + actual + " and " + maxDebt + ")");
		}
		if (actual != 0 && actual != charge.cost() && !charge.limit().isReservable()) {
			throw new IllegalArgumentException("The cost of a charge under " + charge.limit() + " cannot change");
		}
	}

	/**
	 * Creates a settlement of a bucket that may owe permits to reservations.
	 * @param charge the charge
	 * @param actual the actual cost in permits, 0 or more
	 * @param maxDebt the permits that the bucket may owe afterwards, 0 or more
	 * @throws IllegalArgumentException as above
	 */
	public Settlement(Charge charge, long actual, long maxDebt) {
		this(charge, actual, maxDebt, true);
	}

	/**
	 * Creates a settlement that returns all permits of a charge.
	 * @param charge the charge
	 * @return a settlement with an actual cost of 0
	 */
	public static Settlement refund(Charge charge) {
		return new Settlement(charge, 0, 0);
	}

	/**
	 * Whether permits are consumed in addition to the permits of the charge.
	 * @return whether the actual cost is above the cost of the charge
	 */
	public boolean consumes() {
		return this.actual > this.charge.cost();
	}

	/**
	 * Changes the state of the bucket.
	 * @param state the bucket; changed
	 * @param now the current time in ticks
	 * @return the permits that were dropped
	 */
	public Overrun apply(BucketState state, long now) {
		long cost = this.charge.cost();
		if (consumes()) {
			return this.charge.limit().consume(state, this.actual - cost, this.maxDebt, now);
		}
		if (this.actual < cost || this.actual == 0) {
			this.charge.limit().refund(state, cost - this.actual, this.charge.receipt(), this.reserved, now);
		}
		return Overrun.NONE;
	}

	/**
	 * Returns the same settlement of another charge.
	 * @param other the other charge
	 * @return a settlement with the same actual cost
	 */
	public Settlement of(Charge other) {
		return new Settlement(other, this.actual, this.maxDebt, this.reserved);
	}

}
