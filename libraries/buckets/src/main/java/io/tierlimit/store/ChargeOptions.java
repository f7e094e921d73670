package io.tierlimit.store;

import java.util.Objects;

import io.tierlimit.limit.BanPolicy;
import io.tierlimit.limit.Overdraft;
import io.tierlimit.limit.StoreFailurePolicy;
import org.jspecify.annotations.Nullable;

/**
 * How a store treats a charge.
 *
 * @param shadow whether the charge never rejects a request
 * @param onStoreFailure the policy for the charge while a shared store cannot be reached;
 * {@code null} for the policy of the store
 * @param cacheRejections whether an instance may reject the charge without a call to the
 * shared store, because of a rejection by the store less than a second ago
 * @param overdraft the permits that can be reserved before they are earned
 * @param ban when the bucket is banned; {@code null} for never. Without a policy, even an
 * earlier ban of the bucket is ignored
 * @param counted whether a rejection is counted for a ban. It is not counted if the
 * caller may not have caused it, for example while the rate is reduced
 * @param shards the number of shards over which the rule's buckets are spread: 1, for
 * buckets that are not spread, to {@value BucketKey#MAX_SHARDS}
 */
public record ChargeOptions(boolean shadow, @Nullable StoreFailurePolicy onStoreFailure, boolean cacheRejections,
		Overdraft overdraft, @Nullable BanPolicy ban, boolean counted, int shards) {

	/** The options of an enforced rule that does not reserve permits. */
	public static final ChargeOptions ENFORCED = new ChargeOptions(false, null, true, Overdraft.NONE, null, true);

	/** The options of a rule in shadow mode that does not reserve permits. */
	public static final ChargeOptions SHADOW = new ChargeOptions(true, null, true, Overdraft.NONE, null, true);

	/**
	 * Creates options for charges on buckets that are not spread over shards.
	 * @param shadow whether the charge never rejects a request
	 * @param onStoreFailure the policy for the charge while a shared store cannot be
	 * reached; {@code null} for the policy of the store
	 * @param cacheRejections whether an instance may reject the charge without a call to
	 * the shared store
	 * @param overdraft the permits that can be reserved before they are earned
	 * @param ban when the bucket is banned; {@code null} for never
	 * @param counted whether a rejection is counted for a ban
	 */
	public ChargeOptions(boolean shadow, @Nullable StoreFailurePolicy onStoreFailure, boolean cacheRejections,
			Overdraft overdraft, @Nullable BanPolicy ban, boolean counted) {
		this(shadow, onStoreFailure, cacheRejections, overdraft, ban, counted, 1);
	}

	/**
	 * The policy for the charge while a shared store cannot be reached.
	 * @param standard the policy of the store
	 * @return the policy of these options or, if they have none, the policy of the store
	 */
	public StoreFailurePolicy onStoreFailure(StoreFailurePolicy standard) {
		return (this.onStoreFailure != null) ? this.onStoreFailure : standard;
	}

	/**
	 * Whether there is a policy for bans.
	 * @return whether the bucket can be banned
	 */
	public boolean hasBanPolicy() {
		// Before the class BanPolicy is loaded, the JIT compiler does not inline ban().
		return this.ban != null;
	}

	/**
	 * Returns the same options with another policy for bans.
	 * @param other when the bucket is banned; {@code null} for never
	 * @return the options
	 */
	public ChargeOptions with(@Nullable BanPolicy other) {
		return Objects.equals(this.ban, other) ? this : new ChargeOptions(this.shadow, this.onStoreFailure,
				this.cacheRejections, this.overdraft, other, this.counted, this.shards);
	}

	/**
	 * Returns the same options with another bound on the reservation of permits.
	 * @param other the permits that can be reserved before they are earned
	 * @return the options
	 */
	public ChargeOptions reserving(Overdraft other) {
		return new ChargeOptions(this.shadow, this.onStoreFailure, this.cacheRejections, other, this.ban, this.counted,
				this.shards);
	}

	/**
	 * Returns the same options for buckets that are spread over shards.
	 * @param count the number of shards
	 * @return the options
	 */
	public ChargeOptions spread(int count) {
		return new ChargeOptions(this.shadow, this.onStoreFailure, this.cacheRejections, this.overdraft, this.ban,
				this.counted, count);
	}

	/**
	 * Whether a rejection by a bucket that is not banned is counted for a ban.
	 * @return whether there is a policy for bans, and rejections are counted
	 */
	public boolean countsRejections() {
		return this.counted && hasBanPolicy();
	}

	/**
	 * Returns the same options for charges whose rejections are not counted for bans. A
	 * banned bucket still rejects them.
	 * @return the options
	 */
	public ChargeOptions withoutCounting() {
		return !countsRejections() ? this : new ChargeOptions(this.shadow, this.onStoreFailure, this.cacheRejections,
				this.overdraft, this.ban, false, this.shards);
	}

}
