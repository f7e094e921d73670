package io.tierlimit.security;

import java.security.Principal;

import io.tierlimit.key.IdentityResolver;
import io.tierlimit.key.PrincipalCaller;
import io.tierlimit.spi.Caller;
import io.tierlimit.spi.CallerResolver;
import org.jspecify.annotations.Nullable;

import org.springframework.security.authentication.AuthenticationTrustResolver;
import org.springframework.security.authentication.AuthenticationTrustResolverImpl;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContextHolder;

/**
 * Resolves the caller that Spring Security has authenticated on this thread.
 */
public final class AuthenticationCallerResolver implements CallerResolver {

	private final AuthenticationTrustResolver trust = new AuthenticationTrustResolverImpl();

	private final IdentityResolver identities;

	/**
	 * Creates a resolver.
	 * @param identities resolves user, authorities and plan
	 */
	public AuthenticationCallerResolver(IdentityResolver identities) {
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
