package io.tierlimit.web;

import java.io.IOException;

import io.tierlimit.evaluation.Verdict;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

/**
 * Answers requests that may not go on. A bean of this type replaces the standard answer.
 */
@FunctionalInterface
public interface RateLimitRejectionHandler {

	/**
	 * Writes the response. The header fields that tell about the limits, among them
	 * {@code Retry-After}, are set already. A body that tells the wait takes it from
	 * there, because a jitter may have lengthened it.
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
