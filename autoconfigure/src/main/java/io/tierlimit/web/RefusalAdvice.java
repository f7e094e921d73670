package io.tierlimit.web;

import io.tierlimit.evaluation.RateLimitExceededException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

/**
 * Lets the application's exception handlers answer what a handler's annotation refuses
 * before the handler is called, as if the call had thrown it.
 */
@FunctionalInterface
public interface RefusalAdvice {

	/**
	 * Asks the exception handlers.
	 * @param refusal what the call would have thrown
	 * @param handler the handler that isn't called
	 * @param request the request
	 * @param response the response; not committed
	 * @return whether the request is answered
	 */
	boolean answer(RateLimitExceededException refusal, Handler handler, HttpServletRequest request,
			HttpServletResponse response);

}
