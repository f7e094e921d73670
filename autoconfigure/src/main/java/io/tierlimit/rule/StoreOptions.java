package io.tierlimit.rule;

import io.tierlimit.limit.StoreFailurePolicy;
import org.jspecify.annotations.Nullable;

/**
 * How a rule deals with a store that several instances share.
 *
 * @param onFailure what it does while the store can't be reached; {@code null} for what
 * the store does unless told otherwise
 * @param cacheRejections whether an instance may reject by what the store told it less
 * than a second ago
 */
public record StoreOptions(@Nullable StoreFailurePolicy onFailure, boolean cacheRejections) {

	/** What rules do that say nothing else. */
	public static final StoreOptions STANDARD = new StoreOptions(null, true);

}
