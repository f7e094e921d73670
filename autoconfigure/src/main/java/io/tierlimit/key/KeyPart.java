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
	 * @param endpoint the endpoint if no mapping has a pattern for the request
	 * @return whether the part was added
	 */
	Result addTo(KeyBuilder key, Caller caller, @Nullable String endpoint);

	/** Adds the value that a program provides for the part. */
	void addTo(KeyBuilder key, @Nullable String given);

	/** Whom the part identifies. */
	Role role();

	/** Whether the part can only be resolved after authentication. */
	boolean needsAuthentication();

	/** Whether the part may be a client-supplied value. */
	default boolean isSensitive() {
		return false;
	}

	/**
	 * Whom a part of a key identifies. The order is the priority for the affinity key:
	 * the buckets of a request are kept together by user if there is one.
	 */
	enum Role {

		/** One user: an account. */
		USER,

		/**
		 * A value that the application or a client supplies: it may identify an account.
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

		/** The caller lacks the part; nothing was added. */
		MISSING,

		/** The part could not be determined; nothing was added. */
		FAILED

	}

}
