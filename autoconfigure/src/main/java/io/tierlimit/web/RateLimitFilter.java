package io.tierlimit.web;

import java.io.IOException;

import io.tierlimit.evaluation.RateLimitEvaluator;
import io.tierlimit.evaluation.RateLimitExceededException;
import io.tierlimit.evaluation.Verdict;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Holds every HTTP request against the rules once, tells the verdict in header fields,
 * and lets the request go on or has it rejected. A refusal that a servlet throws becomes
 * the same answer; Spring MVC has a resolver for that.
 */
public final class RateLimitFilter extends OncePerRequestFilter {

	private final RequestRules rules;

	private final HttpCallers callers;

	private final RateLimitEvaluator evaluator;

	private final RateLimitAnswers answers;

	/**
	 * Creates a filter.
	 * @param rules finds the rules that a request is held against
	 * @param callers tells who asks
	 * @param evaluator decides
	 * @param answers tells the verdict
	 */
	public RateLimitFilter(RequestRules rules, HttpCallers callers, RateLimitEvaluator evaluator,
			RateLimitAnswers answers) {
		this.rules = rules;
		this.callers = callers;
		this.evaluator = evaluator;
		this.answers = answers;
	}

	@Override
	protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
			throws ServletException, IOException {
		Verdict verdict = this.evaluator.evaluate(this.rules.match(request), this.callers.of(request));
		if (!verdict.allowed()) {
			this.answers.reject(verdict, request, response);
			return;
		}
		this.answers.tell(verdict, request, response);
		try {
			chain.doFilter(request, response);
		}
		catch (RateLimitExceededException ex) {
			Verdict refusal = ex.verdict();
			if (refusal == null || response.isCommitted()) {
				throw ex;
			}
			response.resetBuffer();
			this.answers.reject(refusal, request, response);
		}
	}

}
