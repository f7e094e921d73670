package io.tierlimit.spi;

import java.security.Principal;
import java.util.Collection;

/**
 * Finds the authorities of a principal, such as a principal of Spring Security.
 */
@FunctionalInterface
public interface AuthoritiesResolver {

	/**
	 * Finds the authorities.
	 * @param principal an authenticated user
	 * @return the names of authorities; empty if there are none
	 */
	Collection<String> resolve(Principal principal);

}
