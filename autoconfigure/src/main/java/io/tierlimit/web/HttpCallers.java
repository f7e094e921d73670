package io.tierlimit.web;

import io.tierlimit.key.Identities;
import jakarta.servlet.http.HttpServletRequest;

/**
 * Tells who asks by an HTTP request.
 */
public final class HttpCallers {

	private final Identities identities;

	private final HandlerLookup handlers;

	/**
	 * Creates callers.
	 * @param identities tells authorities and plan
	 * @param handlers finds what will serve the request
	 */
	public HttpCallers(Identities identities, HandlerLookup handlers) {
		this.identities = identities;
		this.handlers = handlers;
	}

	HttpCaller of(HttpServletRequest request) {
		return new HttpCaller(request, this.identities, this.handlers);
	}

}
