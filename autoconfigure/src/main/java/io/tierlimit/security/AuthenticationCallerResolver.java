package io.tierlimit.security;

import java.security.Principal;

import io.tierlimit.key.Identities;
import io.tierlimit.key.PrincipalCaller;
import io.tierlimit.spi.Caller;
import io.tierlimit.spi.CallerResolver;
import org.jspecify.annotations.Nullable;

import org.springframework.security.authentication.AuthenticationTrustResolver;
import org.springframework.security.authentication.AuthenticationTrustResolverImpl;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContextHolder;

/**
 * Whoever Spring Security has authenticated on this thread.
 */
public final class AuthenticationCallerResolver implements CallerResolver {

	private final AuthenticationTrustResolver trust = new AuthenticationTrustResolverImpl();

	private final Identities identities;

	/**
	 * Creates a resolver.
	 * @param identities tells authorities and plan
	 */
	public AuthenticationCallerResolver(Identities identities) {
		this.identities = identities;
	}

	@Override
	public Caller resolve() {
		Authentication found = SecurityContextHolder.getContext().getAuthentication();
		Authentication user = this.trust.isAuthenticated(found) ? found : null;
		return new PrincipalCaller(this.identities) {

			@Override
			protected @Nullable Principal principal() {
				return user;
			}

		};
	}

}
