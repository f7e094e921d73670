package io.tierlimit.web;

import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

/**
 * Finds what will serve a request, before it is served.
 */
@FunctionalInterface
public interface HandlerLookup {

	/**
	 * Looks the handler up; asked at most once a request, and once more if that has
	 * changed when it reaches a handler.
	 * @param request the request; not changed
	 * @param arrived whether it has reached its servlet; before that an upload is not
	 * read, and what depends on its parameters may be told wrongly
	 * @return the handler, or {@code null} if nothing that is mapped will serve it
	 * @throws io.tierlimit.spi.InvalidFactException if a mapping depends on parameters
	 * that cannot be read
	 */
	@Nullable Handler find(HttpServletRequest request, boolean arrived);

	/**
	 * Tells whether the application overlooks upper and lower case in a path, so that
	 * rules do too; asked when the first request comes.
	 * @return whether any mapping does; false unless overridden
	 */
	default boolean ignoresCase() {
		return false;
	}

}
