package io.tierlimit.evaluation;

import io.tierlimit.key.Caller;
import io.tierlimit.key.KeyParts;

import org.jspecify.annotations.Nullable;

/**
 * One part of a rule's key.
 */
@FunctionalInterface
interface KeyPart {

	/**
	 * Adds the part.
	 * @param key what the part is added to
	 * @param caller who asks
	 * @param endpoint what stands for the endpoint if no mapping has a pattern for it
	 * @return whether the caller has such a part; nothing was added if not
	 */
	boolean addTo(KeyParts key, Caller caller, @Nullable String endpoint);

}
