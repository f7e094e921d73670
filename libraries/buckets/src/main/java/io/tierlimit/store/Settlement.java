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
 */
public record Settlement(Charge charge, long actual, long maxDebt) {

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
		return this.charge.limit()
			.settle(state, this.charge.cost(), this.charge.receipt(), this.actual, this.maxDebt, now);
	}

	/**
	 * Returns the same settlement of another charge.
	 * @param other the other charge
	 * @return a settlement with the same actual cost
	 */
	public Settlement of(Charge other) {
		return new Settlement(other, this.actual, this.maxDebt);
	}

}
