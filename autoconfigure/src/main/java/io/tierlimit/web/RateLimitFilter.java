package io.tierlimit.web;

import java.io.IOException;

import io.tierlimit.evaluation.RateLimitExceededException;
import io.tierlimit.evaluation.Verdict;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Opens the tab of every HTTP request and holds it against the rules before Spring
 * Security does anything with it, tells the verdict in header fields, and lets the
 * request go on or has it rejected. A refusal that a servlet throws becomes the same
 * answer; Spring MVC has a resolver for that.
 */
public final class RateLimitFilter extends OncePerRequestFilter {

	/** The place in the filter chain, 10 before Spring Security's. */
	public static final int DEFAULT_ORDER = -110;

	private final RequestTabs tabs;

	private final RequestStage stage;

	private final RateLimitAnswers answers;

	private final UntrustedProxyWarning proxies;

	/**
	 * Creates a filter.
	 * @param tabs opens a tab for every request
	 * @param stage decides
	 * @param answers rejects what a servlet refuses
	 * @param proxies looks at every request
	 */
	public RateLimitFilter(RequestTabs tabs, RequestStage stage, RateLimitAnswers answers,
			UntrustedProxyWarning proxies) {
		this.tabs = tabs;
		this.stage = stage;
		this.answers = answers;
		this.proxies = proxies;
	}

	@Override
	protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
			throws ServletException, IOException {
		this.proxies.look(request);
		RequestEnd end = RequestEnd.await(request, response);
		try {
			serve(request, response, chain);
		}
		catch (IOException | ServletException | RuntimeException | Error ex) {
			end.note(ex);
			throw ex;
		}
		finally {
			this.tabs.close(request, end);
		}
	}

	private void serve(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
			throws ServletException, IOException {
		BoundRequest bound = new BoundRequest(request, response);
		try {
			RequestTab tab = this.tabs.open(request, response);
			if (this.stage.admits(tab, request, response)) {
				chain.doFilter(request, response);
			}
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
		}
	}

}
