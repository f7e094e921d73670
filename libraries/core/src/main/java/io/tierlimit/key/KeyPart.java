package io.tierlimit.key;

import io.tierlimit.spi.Caller;
import org.jspecify.annotations.Nullable;

/**
 * One part of a rule's key.
 */
interface KeyPart {

	/**
	 * Adds the part.
	 * @param key the key that the part is added to
	 * @param caller the caller
	 * @param endpoint replaces the endpoint if no mapping has a pattern for the request;
	 * {@code null} for none
	 * @return whether the part was added
	 */
	Result addTo(KeyBuilder key, Caller caller, @Nullable String endpoint);

	/** Adds a resolved value, or {@code null} for none. */
	default void addTo(KeyBuilder key, @Nullable String value) {
		if (value == null) {
			key.addNone();
		}
		else if (isSensitive()) {
			key.addSensitive(value);
		}
		else {
			key.addFact(value);
		}
	}

	/** What the part identifies. */
	Role role();

	/** Whether the part can only be resolved after authentication. */
	default boolean needsAuthentication() {
		return false;
	}

	/** Whether the part may be a client-supplied value. */
	default boolean isSensitive() {
		return false;
	}

	/**
	 * What a part of a key identifies. The affinity key of a bucket is the part with the
	 * first of these constants: the user if there is one, otherwise a resolved value,
	 * otherwise an address.
	 */
	enum Role {

		/** One user: an account. */
		USER,

		/**
		 * The value of a key resolver or a key expression; it may identify an account.
		 */
		RESOLVED,

		/** All callers with one address. */
		ADDRESS,

		/** All callers of one endpoint. */
		ENDPOINT,

		/** All callers on one plan. */
		PLAN;

		boolean mayNameAccount() {
			return this == USER || this == RESOLVED;
		}

	}

	/**
	 * Whether a part was added to a key.
	 */
	enum Result {

		/** The part was added. */
		ADDED,

		/** The caller does not have the part; nothing was added. */
		MISSING,

		/** The part could not be determined; nothing was added. */
		FAILED

	}

}
