package io.tierlimit.web;

import io.tierlimit.key.Endpoint;
import jakarta.servlet.http.HttpServletRequest;

import org.jspecify.annotations.Nullable;

/**
 * Finds the mapping that will serve a request, before it is served.
 */
@FunctionalInterface
public interface EndpointLookup {

	/**
	 * Looks the mapping up; asked at most once a request.
	 * @param request a request that has not reached its servlet yet; not changed
	 * @return the endpoint, or {@code null} if nothing that has a pattern will serve it
	 */
	@Nullable Endpoint find(HttpServletRequest request);

}
