package io.tierlimit.spi;

import io.tierlimit.limit.Overdraft;
import io.tierlimit.limit.StoreFailurePolicy;
import org.jspecify.annotations.Nullable;

/**
 * How a rule wants its charges to be treated; the same for all of them.
 *
 * @param shadow whether they are charged as if they stood alone, and never refuse the
 * request
 * @param onFailure what becomes of them while a shared store can't be reached;
 * {@code null} for what the store does unless told otherwise
 * @param rememberRefusals whether an instance may refuse by what a shared store told it
 * less than a second ago
 * @param overdraft how many permits can be reserved that have not come yet
 */
public record Terms(boolean shadow, @Nullable StoreFailurePolicy onFailure, boolean rememberRefusals,
		Overdraft overdraft) {

	/** The terms of a rule that is enforced. */
	public static final Terms ENFORCED = new Terms(false, null, true, Overdraft.NONE);

	/** The terms of a rule in shadow mode. */
	public static final Terms SHADOW = new Terms(true, null, true, Overdraft.NONE);

	/**
	 * What becomes of the charges while a shared store can't be reached.
	 * @param standard the policy of the store, for terms without one
	 * @return a policy
	 */
	public StoreFailurePolicy onFailure(StoreFailurePolicy standard) {
		return (this.onFailure != null) ? this.onFailure : standard;
	}

}
