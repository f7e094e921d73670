package io.tierlimit.spi;

import java.security.Principal;

import org.jspecify.annotations.Nullable;

/**
 * Reads what the issuer of a verified token says of its owner.
 */
@FunctionalInterface
public interface ClaimResolver {

	/**
	 * Finds a claim.
	 * @param principal an authenticated user
	 * @param claim the claim's name, such as {@code sub}
	 * @return its value, or {@code null} if the user has no token or that has no such
	 * claim
	 */
	@Nullable Object resolve(Principal principal, String claim);

}
