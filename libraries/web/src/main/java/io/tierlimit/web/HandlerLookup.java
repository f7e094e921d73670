package io.tierlimit.web;

import java.lang.reflect.Method;
import java.util.function.BiPredicate;
import java.util.function.Predicate;

import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

/**
 * Finds the handler of a request before the request is served.
 */
@FunctionalInterface
public interface HandlerLookup {

	/**
	 * Finds the handler. Called at most once for each request, and a second time if the
	 * request has changed before it reaches a handler.
	 * @param request the request; not changed
	 * @param arrived whether the request has reached its servlet. Before that, an upload
	 * is not read, so the result may be wrong if mappings depend on parameters of the
	 * upload
	 * @return the handler, or {@code null} if no mapping matches
	 * @throws io.tierlimit.spi.InvalidRequestValueException if a mapping depends on
	 * parameters that cannot be read
	 */
	@Nullable Handler find(HttpServletRequest request, boolean arrived);

	/**
	 * Determines which requests certain handlers may serve. Other requests need no
	 * look-up. Called once.
	 * @param methods selects the methods of handlers, by the method and the class of the
	 * bean
	 * @return a predicate that is false only if a look-up would find none of these
	 * methods. Mappings that are registered later are ignored. By default, the predicate
	 * is true for all requests
	 */
	default Predicate<HttpServletRequest> requestsFor(BiPredicate<Method, Class<?>> methods) {
		return (request) -> true;
	}

	/**
	 * Whether the application ignores case in paths. If so, the paths of rules also
	 * ignore case. Called at the first request.
	 * @return whether any mapping ignores case; false by default
	 */
	default boolean ignoresCase() {
		return false;
	}

}
