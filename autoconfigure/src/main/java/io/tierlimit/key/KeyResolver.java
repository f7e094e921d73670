package io.tierlimit.key;

import org.jspecify.annotations.Nullable;

/**
 * Says whose bucket a caller takes from. The name of its bean is a scope in rules.
 */
@FunctionalInterface
public interface KeyResolver {

	/**
	 * Finds the key.
	 * @param caller who asks
	 * @return any text that tells callers apart, or {@code null} if there is none: then
	 * the rule does as its {@code anonymous} says
	 */
	@Nullable String resolve(Caller caller);

}
