package io.tierlimit.web;

import java.io.IOException;

import io.tierlimit.evaluation.RateLimitEvaluator;
import io.tierlimit.evaluation.Verdict;
import io.tierlimit.web.header.RateLimitHeaders;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Holds every HTTP request against the rules once, tells the verdict in header fields,
 * and lets the request go on or has it rejected.
 */
public final class RateLimitFilter extends OncePerRequestFilter {

	private final RequestRules rules;

	private final HttpCallers callers;

	private final RateLimitEvaluator evaluator;

	private final RateLimitHeaders headers;

	private final RateLimitRejectionHandler rejections;

	/**
	 * Creates a filter.
	 * @param rules finds the rules that a request is held against
	 * @param callers tells who asks
	 * @param evaluator decides
	 * @param headers words the verdict
	 * @param rejections answers requests that may not go on
	 */
	public RateLimitFilter(RequestRules rules, HttpCallers callers, RateLimitEvaluator evaluator,
			RateLimitHeaders headers, RateLimitRejectionHandler rejections) {
		this.rules = rules;
		this.callers = callers;
		this.evaluator = evaluator;
		this.headers = headers;
		this.rejections = rejections;
	}

	@Override
	protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
			throws ServletException, IOException {
		Verdict verdict = this.evaluator.evaluate(this.rules.match(request), this.callers.of(request));
		this.headers.of(verdict).forEach(response::setHeader);
		if (verdict.allowed()) {
			chain.doFilter(request, response);
		}
		else {
			this.rejections.handle(verdict, request, response);
		}
	}

}
