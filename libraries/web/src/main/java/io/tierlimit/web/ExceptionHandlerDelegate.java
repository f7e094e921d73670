package io.tierlimit.web;

import io.tierlimit.RateLimitExceededException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

/**
 * Calls the application's exception handlers if a handler's annotation rejects a request
 * before the handler is called. The exception handlers are called as if the call to the
 * handler had thrown the exception.
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
