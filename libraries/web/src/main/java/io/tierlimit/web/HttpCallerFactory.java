package io.tierlimit.web;

import io.tierlimit.key.IdentityResolver;
import io.tierlimit.web.proxy.ClientAddresses;
import jakarta.servlet.http.HttpServletRequest;

/**
 * Creates the caller of an HTTP request.
 *
 * @param identities resolves user, authorities and plan
 * @param addresses determines the client address
 * @param handlers finds the handler of the request
 */
public record HttpCallerFactory(IdentityResolver identities, ClientAddresses addresses, HandlerLookup handlers) {

	/**
	 * Creates the caller of a request, which may have already reached its servlet.
	 */
	HttpCaller of(HttpServletRequest request, boolean arrived) {
		return new HttpCaller(request, this, arrived);
	}

}
