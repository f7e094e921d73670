package io.tierlimit.spi;

import io.tierlimit.limit.Overdraft;
import io.tierlimit.limit.StoreFailurePolicy;
import org.jspecify.annotations.Nullable;

/**
 * How a store treats the charges of a rule; the same for all of them.
 *
 * @param shadow whether the charges never reject a request
 * @param onFailure how they are decided while a shared store cannot be reached;
 * {@code null} for the policy of the store
 * @param cacheRejections whether an instance may reject a request without a call, if a
 * shared store has rejected such a request less than a second ago
 * @param overdraft the permits that can be reserved before they are earned
 */
public record ChargeOptions(boolean shadow, @Nullable StoreFailurePolicy onFailure, boolean cacheRejections,
		Overdraft overdraft) {

	/** The options of a rule that is enforced. */
	public static final ChargeOptions ENFORCED = new ChargeOptions(false, null, true, Overdraft.NONE);

	/** The options of a rule in shadow mode. */
	public static final ChargeOptions SHADOW = new ChargeOptions(true, null, true, Overdraft.NONE);

	/**
	 * The policy for the charges while a shared store cannot be reached.
	 * @param standard the policy of the store, for options without one
	 * @return a policy
	 */
	public StoreFailurePolicy onFailure(StoreFailurePolicy standard) {
		return (this.onFailure != null) ? this.onFailure : standard;
	}

}
