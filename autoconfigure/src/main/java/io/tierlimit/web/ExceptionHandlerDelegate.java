package io.tierlimit.web;

import io.tierlimit.RateLimitExceededException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

/**
 * Has the application's exception handlers answer a rejection by a handler's annotation
 * before the handler is called, as if the call had thrown it.
 */
@FunctionalInterface
public interface ExceptionHandlerDelegate {

	/**
	 * Asks the exception handlers.
	 * @param rejection what the call would have thrown
	 * @param handler the handler that isn't called
	 * @param request the request
	 * @param response the response; not committed
	 * @return whether the request is answered
	 */
	boolean answer(RateLimitExceededException rejection, Handler handler, HttpServletRequest request,
			HttpServletResponse response);

}
