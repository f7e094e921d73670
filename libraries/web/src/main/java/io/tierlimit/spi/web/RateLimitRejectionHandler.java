package io.tierlimit.spi.web;

import java.io.IOException;

import io.tierlimit.Verdict;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

/**
 * Writes the body of a rejection. A bean of this type replaces the problem details.
 */
@FunctionalInterface
public interface RateLimitRejectionHandler {

	/**
	 * Writes the response. The status is already set: 429 for a violated rule, 403 if a
	 * rule requires a key that the caller lacks, 400 for an invalid client-supplied
	 * value, 503 if the store cannot be reached. The headers, including
	 * {@code Retry-After}, are also set. If the body contains the wait, use the value of
	 * {@code Retry-After}, which may include a jitter. If the body contains non-ASCII
	 * characters, set the encoding: the default of servlet containers is ISO-8859-1.
	 * @param verdict the verdict that rejects the request
	 * @param request the request
	 * @param response the response; not committed
	 * @throws IOException if the response cannot be written
	 * @throws ServletException if the handler fails otherwise
	 */
	void handle(Verdict verdict, HttpServletRequest request, HttpServletResponse response)
			throws IOException, ServletException;

}
