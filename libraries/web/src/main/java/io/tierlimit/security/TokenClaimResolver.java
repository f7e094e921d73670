package io.tierlimit.security;

import java.security.Principal;

import io.tierlimit.spi.ClaimResolver;
import org.jspecify.annotations.Nullable;

import org.springframework.security.core.Authentication;
import org.springframework.security.oauth2.core.ClaimAccessor;
import org.springframework.security.oauth2.core.OAuth2AuthenticatedPrincipal;

/**
 * Reads the claims of a JWT, and the attributes of an opaque token or an OAuth 2.0 login.
 */
public final class TokenClaimResolver implements ClaimResolver {

	@Override
	public @Nullable Object resolve(Principal principal, String claim) {
		Object owner = (principal instanceof Authentication authentication) ? authentication.getPrincipal() : principal;
		if (owner instanceof ClaimAccessor claims) {
			return claims.getClaims().get(claim);
		}
		return (owner instanceof OAuth2AuthenticatedPrincipal token) ? token.getAttributes().get(claim) : null;
	}

}
