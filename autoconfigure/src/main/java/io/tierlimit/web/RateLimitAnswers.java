package io.tierlimit.web;

import java.io.IOException;

import io.tierlimit.evaluation.Verdict;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

/**
 * Answers requests that may not go on, whoever says so.
 */
public final class RateLimitAnswers {

	private final RequestTabs tabs;

	private final RateLimitRejectionHandler rejections;

	/**
	 * Creates answers.
	 * @param tabs what was decided for a request
	 * @param rejections writes the answers
	 */
	public RateLimitAnswers(RequestTabs tabs, RateLimitRejectionHandler rejections) {
		this.tabs = tabs;
		this.rejections = rejections;
	}

	/**
	 * Sets the status and the headers, about all that was decided for the request, and
	 * writes the response.
	 * @param verdict a verdict that doesn't allow the request
	 * @param request the request
	 * @param response the response; not committed
	 * @throws IOException if the response can't be written
	 * @throws ServletException if the handler fails otherwise
	 */
	public void reject(Verdict verdict, HttpServletRequest request, HttpServletResponse response)
			throws IOException, ServletException {
		Verdict all = this.tabs.conclude(verdict, request, response);
		response.setStatus(RejectionStatus.of(all).value());
		this.rejections.handle(all, request, response);
	}

}
