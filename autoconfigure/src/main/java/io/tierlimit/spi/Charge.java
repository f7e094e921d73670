package io.tierlimit.spi;

import java.util.Objects;

import io.tierlimit.limit.Limit;
import io.tierlimit.limit.Receipt;
import org.jspecify.annotations.Nullable;

/**
 * The permits that one request acquires from one bucket. Immutable; charges with the same
 * properties are equal.
 */
public class Charge {

	private final BucketKey key;

	private final Limit limit;

	private final long cost;

	private final ChargeOptions options;

	private final @Nullable Receipt receipt;

	/**
	 * Creates a charge.
	 * @param key the bucket
	 * @param limit the arithmetic of the bucket
	 * @param cost the number of permits; 0 is always allowed
	 * @param options how the rule treats the charge
	 * @param receipt the data for a refund of an acquired charge; {@code null} before,
	 * and for a refund that adds permits without regard to any charge
	 * @throws IllegalArgumentException if the cost is negative
	 */
	public Charge(BucketKey key, Limit limit, long cost, ChargeOptions options, @Nullable Receipt receipt) {
		if (cost < 0) {
			throw new IllegalArgumentException("The cost must not be negative (was " + cost + ")");
		}
		this.key = key;
		this.limit = limit;
		this.cost = cost;
		this.options = options;
		this.receipt = receipt;
	}

	/**
	 * Creates a charge that was not acquired.
	 * @param key the bucket
	 * @param limit the arithmetic of the bucket
	 * @param cost the number of permits
	 * @param options how the rule treats the charge
	 * @throws IllegalArgumentException if the cost is negative
	 */
	public Charge(BucketKey key, Limit limit, long cost, ChargeOptions options) {
		this(key, limit, cost, options, null);
	}

	/**
	 * Creates a charge that is enforced.
	 * @param key the bucket
	 * @param limit the arithmetic of the bucket
	 * @param cost the number of permits
	 * @throws IllegalArgumentException if the cost is negative
	 */
	public Charge(BucketKey key, Limit limit, long cost) {
		this(key, limit, cost, ChargeOptions.ENFORCED);
	}

	/**
	 * The bucket.
	 * @return the key of the bucket
	 */
	public final BucketKey key() {
		return this.key;
	}

	/**
	 * The arithmetic of the bucket.
	 * @return the limit
	 */
	public final Limit limit() {
		return this.limit;
	}

	/**
	 * The number of permits.
	 * @return permits, 0 or more; 0 is always allowed
	 */
	public final long cost() {
		return this.cost;
	}

	/**
	 * How the rule treats the charge.
	 * @return the options
	 */
	public final ChargeOptions options() {
		return this.options;
	}

	/**
	 * The data for a refund of an acquired charge.
	 * @return the receipt; {@code null} before, and for a refund that adds permits
	 * without regard to any charge
	 */
	public final @Nullable Receipt receipt() {
		return this.receipt;
	}

	/**
	 * Whether the charge never rejects the request.
	 * @return whether the rule is in shadow mode
	 */
	public final boolean shadow() {
		return this.options.shadow();
	}

	/**
	 * Returns the same charge on another bucket.
	 * @param other the other bucket
	 * @return a charge
	 */
	public final Charge on(BucketKey other) {
		return new Charge(other, this.limit, this.cost, this.options, this.receipt);
	}

	/**
	 * Returns the same charge after it was acquired.
	 * @param acquired the receipt
	 * @return a charge that can be refunded
	 */
	public final Charge acquired(Receipt acquired) {
		return new Charge(this.key, this.limit, this.cost, this.options, acquired);
	}

	@Override
	public final boolean equals(@Nullable Object other) {
		return other instanceof Charge that && this.key.equals(that.key) && this.limit.equals(that.limit)
				&& this.cost == that.cost && this.options.equals(that.options)
				&& Objects.equals(this.receipt, that.receipt);
	}

	@Override
	public final int hashCode() {
		return Objects.hash(this.key, this.limit, this.cost, this.options, this.receipt);
	}

	@Override
	public String toString() {
		return this.cost + " from " + this.key + " under " + this.limit + ", " + this.options
				+ ((this.receipt != null) ? ", " + this.receipt : "");
	}

}
