package io.tierlimit.web;

import io.tierlimit.key.AuthoritiesResolver;
import io.tierlimit.key.Caller;
import io.tierlimit.key.PlanResolver;
import jakarta.servlet.http.HttpServletRequest;

/**
 * Tells who asks by an HTTP request.
 *
 * @param authorities reads a principal's authorities
 * @param plans tells a caller's plan
 * @param endpoints finds the mapping that will serve the request
 */
public record HttpCallers(AuthoritiesResolver authorities, PlanResolver plans, EndpointLookup endpoints) {

	/**
	 * The caller of a request. Facts that take a look-up are looked up once, if they are
	 * asked for.
	 * @param request the request
	 * @return its caller
	 */
	public Caller of(HttpServletRequest request) {
		return new HttpCaller(request, this);
	}

}
