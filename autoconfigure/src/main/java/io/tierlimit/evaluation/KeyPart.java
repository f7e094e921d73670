package io.tierlimit.evaluation;

import io.tierlimit.key.Caller;
import io.tierlimit.key.KeyBuilder;

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
	 * @return whether the caller has such a part; nothing was added if not
	 */
	boolean addTo(KeyBuilder key, Caller caller, @Nullable String endpoint);

	/** Adds what a program gives for the part. */
	void addTo(KeyBuilder key, @Nullable String given);

	/** Whether the part is known no sooner than the caller is authenticated. */
	boolean needsAuthentication();

	/** Whether callers may have sent it. */
	default boolean isSent() {
		return false;
	}

}
