package io.tierlimit.web;

import java.io.IOException;
import java.util.List;

import io.tierlimit.evaluation.RateLimitExceededException;
import io.tierlimit.evaluation.Verdict;
import io.tierlimit.evaluation.Verdict.Outcome;
import io.tierlimit.key.InvalidFactException;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.jspecify.annotations.Nullable;

/**
 * Checks every HTTP request against the rules of one stage, and lets it go on or has it
 * rejected. Registered once, or before and after Spring Security: the first one that a
 * request meets opens its tab and closes it. A request that is forwarded or dispatched
 * meets them again, and is checked once for each target; one that was forwarded before it
 * met them is checked where it goes. A rejection that a servlet throws becomes the same
 * answer; Spring MVC has a resolver for that.
 */
public final class RateLimitFilter implements Filter {

	/** The place in the filter chain, 10 before Spring Security's. */
	public static final int DEFAULT_ORDER = -110;

	/** The place in the filter chain of the second one, 10 behind Spring Security's. */
	public static final int AUTHENTICATED_ORDER = -90;

	private final RequestTabs tabs;

	private final RequestStage stage;

	private final RateLimitAnswers answers;

	private final UntrustedProxyWarning proxies;

	/**
	 * Creates a filter.
	 * @param tabs opens a tab for every request
	 * @param stage decides
	 * @param answers rejects what a servlet rejects
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
	public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
			throws ServletException, IOException {
		if (!(request instanceof HttpServletRequest http) || !(response instanceof HttpServletResponse answer)) {
			throw new ServletException("Only HTTP requests are supported");
		}
		if (isErrorPage(http)) {
			chain.doFilter(request, response);
		}
		else if (RequestEnd.of(http) != null) {
			resume(BodyTrackingRequest.of(http), answer, chain);
		}
		else {
			begin(BodyTrackingRequest.of(http), answer, chain);
		}
	}

	/** Spring Boot's filter for error pages of a deployed WAR forwards to them. */
	static boolean isErrorPage(HttpServletRequest request) {
		return request.getDispatcherType() == DispatcherType.FORWARD
				&& request.getAttribute(RequestDispatcher.ERROR_STATUS_CODE) != null;
	}

	private void begin(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
			throws ServletException, IOException {
		this.proxies.look(request);
		// A filter before this one may have called an annotated method already.
		RequestTab.forget(request);
		RequestEnd end = RequestEnd.await(request, response);
		try {
			serveOrReject(request, response, chain);
		}
		catch (IOException | ServletException | RuntimeException | Error ex) {
			end.note(ex);
			throw ex;
		}
		finally {
			this.tabs.close(request, end);
		}
	}

	/** Serves a request that has been here before, at this place or at another. */
	private void resume(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
			throws ServletException, IOException {
		try {
			serve(request, response, chain);
		}
		catch (IOException | ServletException | RuntimeException | Error ex) {
			RequestEnd end = RequestEnd.of(request);
			if (end != null && request.getDispatcherType() == DispatcherType.ASYNC) {
				end.note(ex);
			}
			throw ex;
		}
	}

	private void serveOrReject(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
			throws ServletException, IOException {
		try {
			serve(request, response, chain);
		}
		catch (RateLimitExceededException | InvalidFactException ex) {
			Verdict rejection = rejection(ex);
			if (rejection == null || response.isCommitted()) {
				throw ex;
			}
			response.resetBuffer();
			this.answers.reject(rejection, request, response);
		}
	}

	private static @Nullable Verdict rejection(RuntimeException ex) {
		return (ex instanceof RateLimitExceededException exceeded) ? exceeded.verdict()
				: new Verdict(Outcome.INVALID, List.of());
	}

	private void serve(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
			throws ServletException, IOException {
		BoundRequest bound = new BoundRequest(request, response);
		try {
			if (this.stage.admits(request, response)) {
				chain.doFilter(request, response);
			}
		}
		finally {
			bound.close();
		}
	}

}
