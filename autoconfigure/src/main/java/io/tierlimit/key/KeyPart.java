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

	/** Whether the part is known no sooner than the caller is authenticated. */
	boolean needsAuthentication();

	/** Whether callers may have sent it. */
	default boolean isSent() {
		return false;
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
