package io.tierlimit.rule;

import io.tierlimit.limit.StoreFailurePolicy;
import org.jspecify.annotations.Nullable;

/**
 * How a rule deals with a store that several instances share.
 *
 * @param onFailure what it does while the store can't be reached; {@code null} for what
 * the store does unless told otherwise
 * @param rememberRefusals whether an instance may refuse by what the store told it less
 * than a second ago
 */
public record StorePolicy(@Nullable StoreFailurePolicy onFailure, boolean rememberRefusals) {

	/** What rules do that say nothing else. */
	public static final StorePolicy STANDARD = new StorePolicy(null, true);

}
