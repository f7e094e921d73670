package io.tierlimit.store;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.Map;

import io.tierlimit.limit.StoreFailurePolicy;
import org.jspecify.annotations.Nullable;

/**
 * The status of a store.
 *
 * @param reachable whether the store can be reached
 * @param onStoreFailure the policy for charges without a policy of their own while the
 * store cannot be reached; {@code null} for a store that can always be reached
 * @param breakers the states of the circuit breakers by their servers; empty if there are
 * none
 * @param lastFailure the last failed call since startup; {@code null} if there is none
 * @param localShare what this instance grants by itself while the store cannot be
 * reached; {@code null} for a store without local buckets
 */
public record StoreStatus(boolean reachable, @Nullable StoreFailurePolicy onStoreFailure, Map<String, String> breakers,
		@Nullable Failure lastFailure, @Nullable LocalShare localShare) {

	/** The status of a store that can always be reached. */
	public static final StoreStatus UP = new StoreStatus(true, null, Map.of(), null);

	/**
	 * Creates the status of a store without local buckets.
	 * @param reachable whether the store can be reached
	 * @param onStoreFailure the policy for charges while it cannot be reached, if their
	 * options have none; {@code null} for a store that can always be reached
	 * @param breakers the states of the circuit breakers by their servers; empty if there
	 * are none
	 * @param lastFailure the last failed call since startup; {@code null} if there is
	 * none
	 */
	public StoreStatus(boolean reachable, @Nullable StoreFailurePolicy onStoreFailure, Map<String, String> breakers,
			@Nullable Failure lastFailure) {
		this(reachable, onStoreFailure, breakers, lastFailure, null);
	}

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
	 * @param at the time of the failure, by the clock of this instance
	 */
	public record Failure(String reason, Instant at) {

	}

	/**
	 * The share of every limit that this instance grants by itself.
	 *
	 * @param share the share: above 0, up to 1
	 * @param instances the largest number of instances that the store has shown within
	 * the last 30 seconds of its availability, from which the share follows; {@code null}
	 * if it is not known, or if the share is fixed
	 * @param problem why this instance is not counted in the store at present;
	 * {@code null} if there is no problem
	 */
	public record LocalShare(BigDecimal share, @Nullable Integer instances, @Nullable String problem) {

	}

}
