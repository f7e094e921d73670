package io.tierlimit.spi;

import org.jspecify.annotations.Nullable;

/**
 * Finds the key of a caller, which selects the bucket of a rule. The name of the bean is
 * a scope that rules can use. It must not be {@code key}, which is the name of a rule's
 * key expression.
 */
@FunctionalInterface
public interface KeyResolver {

	/**
	 * Finds the key.
	 * @param caller the caller
	 * @return any string that identifies the owner of the bucket; {@code null} if the
	 * caller has no key, in which case the {@code on-missing-key} policy of the rule
	 * applies. If the resolver throws an exception, the request is rejected with status
	 * 400
	 */
	@Nullable String resolve(Caller caller);

	/**
	 * Whether the key depends on the authenticated caller. If not, the rule is checked
	 * before Spring Security authenticates the request. This stops a flood of logins, but
	 * a client can consume the permits of every key that it can send.
	 * @return true unless overridden
	 */
	default boolean needsAuthentication() {
		return true;
	}

	/**
	 * Creates a resolver whose rules are checked before authentication.
	 * @param resolver must not read the user, the plan, the authorities or a claim
	 * @return a resolver with the same keys
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
