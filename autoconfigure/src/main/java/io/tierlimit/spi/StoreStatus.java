package io.tierlimit.spi;

import java.time.Instant;
import java.util.Map;

import io.tierlimit.limit.StoreFailurePolicy;
import org.jspecify.annotations.Nullable;

/**
 * The status of a store.
 *
 * @param reachable whether it answers
 * @param onFailure what becomes of charges while it doesn't, if their terms have no
 * policy; {@code null} for a store that always answers
 * @param breakers the states of the circuit breakers by their servers; empty without any
 * @param lastFailure the last call that failed since startup; {@code null} without any
 */
public record StoreStatus(boolean reachable, @Nullable StoreFailurePolicy onFailure, Map<String, String> breakers,
		@Nullable Failure lastFailure) {

	/** The status of a store that always answers. */
	public static final StoreStatus UP = new StoreStatus(true, null, Map.of(), null);

	/**
	 * Creates a status.
	 */
	public StoreStatus {
		breakers = Map.copyOf(breakers);
	}

	/**
	 * A call that failed.
	 *
	 * @param reason what went wrong
	 * @param at the moment, by the clock of this instance
	 */
	public record Failure(String reason, Instant at) {

	}

}
