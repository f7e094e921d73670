package io.tierlimit.store;

import java.util.Objects;

import io.tierlimit.limit.BanPolicy;
import io.tierlimit.limit.BucketState;
import io.tierlimit.limit.Decision;
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
	 * @param receipt the data for a refund of an acquired charge; {@code null} for a
	 * charge that was not acquired, and for a refund that adds permits without regard to
	 * any charge
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
	 * Creates a charge that has not been acquired.
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
	 * @return the receipt; {@code null} for a charge that was not acquired, and for a
	 * refund that adds permits without regard to any charge
	 */
	public final @Nullable Receipt receipt() {
		return this.receipt;
	}

	/**
	 * Whether the charge never rejects the request.
	 * @return whether the rule is in shadow mode, or is not enforced for this key
	 */
	public final boolean shadow() {
		return this.options.shadow();
	}

	/**
	 * Adds the cost of another charge on the same bucket. The limit and the options of
	 * the other charge are ignored.
	 * @param other the other charge
	 * @return a charge of the permits of both, at most {@link Long#MAX_VALUE}; it has no
	 * receipt
	 */
	public final Charge plus(Charge other) {
		long most = Long.MAX_VALUE - this.cost;
		return new Charge(this.key, this.limit, this.cost + Math.min(other.cost, most), this.options);
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
	 * Returns the same charge with the receipt of its acquisition.
	 * @param acquired the receipt
	 * @return a charge that can be refunded
	 */
	public final Charge acquired(Receipt acquired) {
		return new Charge(this.key, this.limit, this.cost, this.options, acquired);
	}

	/**
	 * Returns the same charge without a policy for bans: it is decided as if the bucket
	 * were not banned, and its rejection is not counted.
	 * @return a charge
	 */
	public final Charge withoutBan() {
		return !this.options.hasBanPolicy() ? this
				: new Charge(this.key, this.limit, this.cost, this.options.with(null), this.receipt);
	}

	/**
	 * Whether the bucket allows the charge: the bucket is not banned, and it has enough
	 * permits, or the permits can be reserved.
	 * @param state the bucket; not changed
	 * @param now the current time in ticks
	 * @return whether {@link #acquire} would allow it
	 */
	public final boolean isAllowed(BucketState state, long now) {
		return !(this.options.hasBanPolicy() && banPolicy().rejects(state, this.cost, now))
				&& this.limit.allows(state, this.cost, this.options.overdraft(), now);
	}

	/**
	 * Consumes the permits if the bucket allows the charge.
	 * @param state the bucket; changed only if the charge is allowed
	 * @param now the current time in ticks
	 * @return the decision, with the permits that are left after it
	 */
	public final Decision acquire(BucketState state, long now) {
		return this.options.hasBanPolicy()
				? banPolicy().acquire(state, this.limit, this.cost, this.options.overdraft(), now)
				: this.limit.acquire(state, this.cost, this.options.overdraft(), now);
	}

	/**
	 * Decides like {@link #acquire}, but consumes nothing.
	 * @param state the bucket; not changed
	 * @param now the current time in ticks
	 * @return the decision that {@code acquire} would return
	 */
	public final Decision peek(BucketState state, long now) {
		if (this.options.hasBanPolicy() && banPolicy().rejects(state, this.cost, now)) {
			return inspect(state, now);
		}
		return applyBan(state, this.limit.peek(state, this.cost, this.options.overdraft(), now), now);
	}

	/**
	 * Decides a charge that is not acquired, because its own bucket or the bucket of
	 * another charge has rejected the request.
	 * @param state the bucket; not changed
	 * @param now the current time in ticks
	 * @return whether this bucket would have allowed it, with its remaining permits
	 */
	public final Decision inspect(BucketState state, long now) {
		return applyBan(state, this.limit.inspect(state, this.cost, this.options.overdraft(), now), now);
	}

	/**
	 * Decides like {@link #inspect}. If this bucket rejects the charge, and the options
	 * of the charge count rejections, the rejection may start a ban.
	 * @param state the bucket; only its rejections and bans change
	 * @param now the current time in ticks
	 * @return the decision, with the current ban if there is one
	 */
	public final Decision reject(BucketState state, long now) {
		Decision decision = inspect(state, now);
		return (!this.options.countsRejections() || decision.allowed() || decision.ban() != null) ? decision
				: banPolicy().count(state, decision, now);
	}

	/** Applies the current ban, if there is one, to a decision. */
	private Decision applyBan(BucketState state, Decision decision, long now) {
		return this.options.hasBanPolicy() ? banPolicy().apply(state, this.cost, decision, now) : decision;
	}

	private BanPolicy banPolicy() {
		return Objects.requireNonNull(this.options.ban());
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
