package io.tierlimit.web;

import io.tierlimit.RateLimitExceededException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

/**
 * Passes a rejection by a handler's annotation to the application's exception handlers
 * before the handler is called, as if the call had thrown the exception.
 */
@FunctionalInterface
public interface ExceptionHandlerDelegate {

	/**
	 * Calls the exception handlers.
	 * @param rejection the exception that the call would have thrown
	 * @param handler the handler that is not called
	 * @param request the request
	 * @param response the response; not committed
	 * @return whether an exception handler has written the response
	 */
	boolean answer(RateLimitExceededException rejection, Handler handler, HttpServletRequest request,
			HttpServletResponse response);

}
