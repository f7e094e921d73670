package io.tierlimit.store;

import java.time.Instant;
import java.util.Map;

import io.tierlimit.limit.StoreFailurePolicy;
import org.jspecify.annotations.Nullable;

/**
 * The status of a store.
 *
 * @param reachable whether the store can be reached
 * @param onStoreFailure the policy for charges while it cannot be reached, if their
 * options have none; {@code null} for a store that can always be reached
 * @param breakers the states of the circuit breakers by their servers; empty if there are
 * none
 * @param lastFailure the last failed call since startup; {@code null} if there is none
 */
public record StoreStatus(boolean reachable, @Nullable StoreFailurePolicy onStoreFailure, Map<String, String> breakers,
		@Nullable Failure lastFailure) {

	/** The status of a store that can always be reached. */
	public static final StoreStatus UP = new StoreStatus(true, null, Map.of(), null);

	/**
	 * Creates a status.
	 */
	public StoreStatus {
		breakers = Map.copyOf(breakers);
	}

	/**
	 * A failed call.
	 *
	 * @param reason the reason of the failure
	 * @param at the moment, by the clock of this instance
	 */
	public record Failure(String reason, Instant at) {

	}

}
