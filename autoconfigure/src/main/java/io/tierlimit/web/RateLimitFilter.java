package io.tierlimit.web;

import java.io.IOException;

import io.tierlimit.evaluation.RateLimitExceededException;
import io.tierlimit.evaluation.Tab;
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

	private final RequestTabs tabs;

	private final RateLimitAnswers answers;

	private final RefusalAdvice advice;

	/**
	 * Creates a filter.
	 * @param rules finds the rules that a request is held against
	 * @param tabs tell who asks, decide, and tell the verdict
	 * @param answers rejects
	 * @param advice is asked first about what a handler's annotation refuses
	 */
	public RateLimitFilter(RequestRules rules, RequestTabs tabs, RateLimitAnswers answers, RefusalAdvice advice) {
		this.rules = rules;
		this.tabs = tabs;
		this.answers = answers;
		this.advice = advice;
	}

	@Override
	protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
			throws ServletException, IOException {
		HttpCaller caller = this.tabs.caller(request);
		Tab tab = this.tabs.open(request, response, caller);
		Verdict verdict = tab.evaluate(this.rules.match(request));
		if (!verdict.allowed()) {
			Handler handler = tab.isRefusedByHandler() ? caller.handler() : null;
			if (handler == null
					|| !this.advice.answer(new RateLimitExceededException(verdict), handler, request, response)) {
				this.answers.reject(verdict, request, response);
			}
			return;
		}
		BoundRequest bound = new BoundRequest(request, response);
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
		finally {
			bound.close();
			tab.close();
		}
	}

}
