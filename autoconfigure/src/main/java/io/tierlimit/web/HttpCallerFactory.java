package io.tierlimit.web;

import io.tierlimit.address.ClientAddresses;
import io.tierlimit.key.IdentityResolver;
import jakarta.servlet.http.HttpServletRequest;

/**
 * Creates the caller of an HTTP request.
 */
public final class HttpCallerFactory {

	private final IdentityResolver identities;

	private final ClientAddresses addresses;

	private final HandlerLookup handlers;

	/**
	 * Creates a factory.
	 * @param identities resolves user, authorities and plan
	 * @param addresses determines the client address
	 * @param handlers finds the handler of the request
	 */
	public HttpCallerFactory(IdentityResolver identities, ClientAddresses addresses, HandlerLookup handlers) {
		this.identities = identities;
		this.addresses = addresses;
		this.handlers = handlers;
	}

	/** Creates the caller of a request, which may have reached its servlet already. */
	HttpCaller of(HttpServletRequest request, boolean arrived) {
		return new HttpCaller(request, this, arrived);
	}

	IdentityResolver identities() {
		return this.identities;
	}

	ClientAddresses addresses() {
		return this.addresses;
	}

	HandlerLookup handlers() {
		return this.handlers;
	}

}
