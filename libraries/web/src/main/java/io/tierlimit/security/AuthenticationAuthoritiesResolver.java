package io.tierlimit.security;

import java.security.Principal;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

import io.tierlimit.spi.AuthoritiesResolver;

import org.springframework.security.core.Authentication;
import org.springframework.security.core.GrantedAuthority;

/**
 * Reads the authorities of Spring Security's authentication, which is the principal of a
 * request after Spring Security's filter chain.
 */
public final class AuthenticationAuthoritiesResolver implements AuthoritiesResolver {

	@Override
	public Collection<String> resolve(Principal principal) {
		if (!(principal instanceof Authentication authentication)) {
			return List.of();
		}
		List<String> names = new ArrayList<>();
		for (GrantedAuthority authority : authentication.getAuthorities()) {
			String name = authority.getAuthority();
			if (name != null) {
				names.add(name);
			}
		}
		return names;
	}

}
