package io.tierlimit.spi;

import io.tierlimit.limit.Overdraft;
import io.tierlimit.limit.StoreFailurePolicy;
import org.jspecify.annotations.Nullable;

/**
 * How a store treats the charges of a rule; the same for all of them.
 *
 * @param shadow whether they never reject a request
 * @param onFailure what becomes of them while a shared store can't be reached;
 * {@code null} for the policy of the store
 * @param cacheRejections whether an instance may reject a request without a call, if a
 * shared store has rejected such a request less than a second ago
 * @param overdraft how many permits can be reserved that have not come yet
 */
public record ChargeOptions(boolean shadow, @Nullable StoreFailurePolicy onFailure, boolean cacheRejections,
		Overdraft overdraft) {

	/** The terms of a rule that is enforced. */
	public static final ChargeOptions ENFORCED = new ChargeOptions(false, null, true, Overdraft.NONE);

	/** The terms of a rule in shadow mode. */
	public static final ChargeOptions SHADOW = new ChargeOptions(true, null, true, Overdraft.NONE);

	/**
	 * What becomes of the charges while a shared store can't be reached.
	 * @param standard the policy of the store, for terms without one
	 * @return a policy
	 */
	public StoreFailurePolicy onFailure(StoreFailurePolicy standard) {
		return (this.onFailure != null) ? this.onFailure : standard;
	}

}
