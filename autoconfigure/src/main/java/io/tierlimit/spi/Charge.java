package io.tierlimit.spi;

import io.tierlimit.limit.Limit;
import io.tierlimit.limit.Receipt;
import org.jspecify.annotations.Nullable;

/**
 * The permits that one request acquires from one bucket.
 *
 * @param key the bucket
 * @param limit the arithmetic of the bucket
 * @param cost the number of permits; 0 is always allowed
 * @param options how the rule treats the charge
 * @param receipt the data for a refund of an acquired charge; {@code null} before, and
 * for a refund that adds permits without regard to any charge
 */
public record Charge(BucketKey key, Limit limit, long cost, ChargeOptions options, @Nullable Receipt receipt) {

	/**
	 * Creates a charge.
	 * @throws IllegalArgumentException if the cost is negative
	 */
	public Charge {
		if (cost < 0) {
			throw new IllegalArgumentException("The cost must not be negative (was " + cost + ")");
		}
	}

	/**
	 * Creates a charge that was not acquired.
	 * @param key the bucket
	 * @param limit the arithmetic of the bucket
	 * @param cost the number of permits
	 * @param options how the rule treats the charge
	 */
	public Charge(BucketKey key, Limit limit, long cost, ChargeOptions options) {
		this(key, limit, cost, options, null);
	}

	/**
	 * Creates a charge that is enforced.
	 * @param key the bucket
	 * @param limit the arithmetic of the bucket
	 * @param cost the number of permits
	 */
	public Charge(BucketKey key, Limit limit, long cost) {
		this(key, limit, cost, ChargeOptions.ENFORCED);
	}

	/**
	 * Whether the charge never rejects the request.
	 * @return whether the rule is in shadow mode
	 */
	public boolean shadow() {
		return this.options.shadow();
	}

	/**
	 * Returns the same charge on another bucket.
	 * @param other the other bucket
	 * @return a charge
	 */
	public Charge on(BucketKey other) {
		return new Charge(other, this.limit, this.cost, this.options, this.receipt);
	}

	/**
	 * Returns the same charge after it was acquired.
	 * @param acquired the receipt
	 * @return a charge that can be refunded
	 */
	public Charge acquired(Receipt acquired) {
		return new Charge(this.key, this.limit, this.cost, this.options, acquired);
	}

}
