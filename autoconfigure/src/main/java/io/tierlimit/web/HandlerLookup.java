package io.tierlimit.web;

import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

/**
 * Finds the handler of a request before the request is served.
 */
@FunctionalInterface
public interface HandlerLookup {

	/**
	 * Finds the handler. Called at most once for each request, and once more if the
	 * request has changed when it reaches a handler.
	 * @param request the request; not changed
	 * @param arrived whether the request has reached its servlet. Before that, an upload
	 * is not read, and the result may be wrong if mappings depend on its parameters
	 * @return the handler, or {@code null} if no mapping matches
	 * @throws io.tierlimit.spi.InvalidFactException if a mapping depends on parameters
	 * that cannot be read
	 */
	@Nullable Handler find(HttpServletRequest request, boolean arrived);

	/**
	 * Whether the application ignores case in paths. The paths of rules then ignore it,
	 * too. Called at the first request.
	 * @return whether any mapping ignores case; false by default
	 */
	default boolean ignoresCase() {
		return false;
	}

}
