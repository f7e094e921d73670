package io.tierlimit.web;

import java.io.IOException;

import io.tierlimit.evaluation.Verdict;
import io.tierlimit.web.header.RateLimitHeaders;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

/**
 * Tells verdicts to the caller of a request. What a request is told last is about all
 * that was decided for it.
 */
public final class RateLimitAnswers {

	private static final String VERDICT = RateLimitAnswers.class.getName() + ".verdict";

	private final RateLimitHeaders headers;

	private final RateLimitRejectionHandler rejections;

	/**
	 * Creates answers.
	 * @param headers words a verdict
	 * @param rejections answers requests that may not go on
	 */
	public RateLimitAnswers(RateLimitHeaders headers, RateLimitRejectionHandler rejections) {
		this.headers = headers;
		this.rejections = rejections;
	}

	/**
	 * Sets the header fields.
	 * @param verdict what was decided just now
	 * @param request the request; remembers what was decided
	 * @param response the response; not committed
	 * @return what was decided for the request so far
	 */
	public Verdict tell(Verdict verdict, HttpServletRequest request, HttpServletResponse response) {
		Verdict all = (request.getAttribute(VERDICT) instanceof Verdict earlier) ? earlier.and(verdict) : verdict;
		request.setAttribute(VERDICT, all);
		this.headers.of(all).forEach(response::setHeader);
		return all;
	}

	/**
	 * Sets the header fields and writes the response to a request that may not go on.
	 * @param verdict a verdict that doesn't allow the request
	 * @param request the request
	 * @param response the response; not committed
	 * @throws IOException if the response can't be written
	 * @throws ServletException if the handler fails otherwise
	 */
	public void reject(Verdict verdict, HttpServletRequest request, HttpServletResponse response)
			throws IOException, ServletException {
		this.rejections.handle(tell(verdict, request, response), request, response);
	}

}
