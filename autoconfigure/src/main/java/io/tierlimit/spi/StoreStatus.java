package io.tierlimit.spi;

import java.time.Instant;
import java.util.Map;

import io.tierlimit.limit.StoreFailurePolicy;
import org.jspecify.annotations.Nullable;

/**
 * How a store is.
 *
 * @param reachable whether it answers
 * @param onFailure what becomes of charges while it doesn't, unless their terms say
 * otherwise; {@code null} for a store that always answers
 * @param breakers the states of the circuit breakers by the servers that they stand
 * before; empty for a store without any
 * @param lastFailure what went wrong last since the start; {@code null} for nothing
 */
public record StoreStatus(boolean reachable, @Nullable StoreFailurePolicy onFailure, Map<String, String> breakers,
		@Nullable Failure lastFailure) {

	/** The status of a store that always answers. */
	public static final StoreStatus WELL = new StoreStatus(true, null, Map.of(), null);

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
	 * @param at when, by the clock of this instance
	 */
	public record Failure(String reason, Instant at) {

	}

}
