package io.tierlimit.rule;

import io.tierlimit.limit.StoreFailurePolicy;
import org.jspecify.annotations.Nullable;

/**
 * How a rule uses a store that several instances share.
 *
 * @param onFailure the policy while the store is not available; {@code null} for the
 * default of the store
 * @param cacheRejections whether an instance may reject a request by a result of the
 * store that is less than a second old
 */
public record StoreOptions(@Nullable StoreFailurePolicy onFailure, boolean cacheRejections) {

	/** The default options. */
	public static final StoreOptions STANDARD = new StoreOptions(null, true);

}
