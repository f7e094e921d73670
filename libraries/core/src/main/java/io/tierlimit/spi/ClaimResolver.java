package io.tierlimit.spi;

import java.security.Principal;

import org.jspecify.annotations.Nullable;

/**
 * Finds the claims of the verified token of a principal.
 */
@FunctionalInterface
public interface ClaimResolver {

	/**
	 * Finds a claim.
	 * @param principal an authenticated user
	 * @param claim the claim's name, such as {@code sub}
	 * @return its value; {@code null} if the principal has no token, or the token does
	 * not have the claim
	 */
	@Nullable Object resolve(Principal principal, String claim);

}
