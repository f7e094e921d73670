package io.tierlimit.spi;

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
	 * the rule does as its {@code anonymous} says. If the resolver throws an exception,
	 * the request is rejected with status 400
	 */
	@Nullable String resolve(Caller caller);

	/**
	 * Whether the key is known no sooner than the caller is authenticated. The rule is
	 * decided before Spring Security otherwise: that stops a flood of logins, but lets
	 * anybody spend the permits of a key that he can name.
	 * @return true unless overridden
	 */
	default boolean needsAuthentication() {
		return true;
	}

	/**
	 * Makes a resolver whose rules are decided before the caller is authenticated.
	 * @param resolver reads neither user nor plan nor authorities
	 * @return the same that needs no authentication
	 */
	static KeyResolver beforeAuthentication(KeyResolver resolver) {
		return new KeyResolver() {

			@Override
			public @Nullable String resolve(Caller caller) {
				return resolver.resolve(caller);
			}

			@Override
			public boolean needsAuthentication() {
				return false;
			}

		};
	}

}
