package io.tierlimit.spi;

import java.io.IOException;

import io.tierlimit.Verdict;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

/**
 * Answers requests that may not go on. A bean of this type replaces the standard answer.
 */
@FunctionalInterface
public interface RateLimitRejectionHandler {

	/**
	 * Writes the response. The status is set already: 429 for a violated limit, 403 for
	 * an anonymous caller of what is not for such, 400 for a client-supplied value that
	 * is not valid, 503 if the limits can't be looked up. So are the headers about the
	 * limits, among them {@code Retry-After}. A body that contains the wait takes it from
	 * there, because a jitter may have lengthened it. A body with other characters than
	 * ASCII needs an encoding: containers write ISO-8859-1 by default.
	 * @param verdict why the request may not go on: refused, denied, invalid, or
	 * unavailable
	 * @param request the request
	 * @param response the response; not committed
	 * @throws IOException if the response can't be written
	 * @throws ServletException if the handler fails otherwise
	 */
	void handle(Verdict verdict, HttpServletRequest request, HttpServletResponse response)
			throws IOException, ServletException;

}
