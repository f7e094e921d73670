package io.tierlimit.spi;

import java.security.Principal;
import java.util.Collection;

/**
 * Reads the authorities that a security framework keeps with a principal.
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
