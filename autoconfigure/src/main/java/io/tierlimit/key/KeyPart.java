package io.tierlimit.key;

import io.tierlimit.spi.Caller;
import org.jspecify.annotations.Nullable;

/**
 * One part of a rule's key.
 */
interface KeyPart {

	/**
	 * Adds the part.
	 * @param key what the part is added to
	 * @param caller who asks
	 * @param endpoint what stands for the endpoint if no mapping has a pattern for it
	 * @return whether the part was added
	 */
	Result addTo(KeyBuilder key, Caller caller, @Nullable String endpoint);

	/** Adds what a program gives for the part. */
	void addTo(KeyBuilder key, @Nullable String given);

	/** What the part says of whom a bucket belongs to. */
	Role role();

	/** Whether the part is known no sooner than the caller is authenticated. */
	boolean needsAuthentication();

	/** Whether callers may have sent it. */
	default boolean isSent() {
		return false;
	}

	/**
	 * Whom a bucket belongs to, as far as a part of its key shows, in the order in which
	 * the buckets of a request are kept together: by user if there is one.
	 */
	enum Role {

		/** One user: an account. */
		USER,

		/** Whatever the application or a client supplies: it may name an account. */
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
