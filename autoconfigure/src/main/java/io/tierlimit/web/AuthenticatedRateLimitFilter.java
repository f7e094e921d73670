package io.tierlimit.web;

import java.io.IOException;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Holds every HTTP request that Spring Security lets through against the rules that need
 * to know who is authenticated. Comes behind a {@link RateLimitFilter}, which decides the
 * others.
 */
public final class AuthenticatedRateLimitFilter extends OncePerRequestFilter {

	/** The place in the filter chain, 10 behind Spring Security's. */
	public static final int DEFAULT_ORDER = -90;

	private final RequestTabs tabs;

	private final RequestStage stage;

	/**
	 * Creates a filter.
	 * @param tabs finds the tab of the request
	 * @param stage decides
	 */
	public AuthenticatedRateLimitFilter(RequestTabs tabs, RequestStage stage) {
		this.tabs = tabs;
		this.stage = stage;
	}

	@Override
	protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
			throws ServletException, IOException {
		if (RequestTab.of(request) != null) {
			serve(request, response, chain);
			return;
		}
		// There is no filter before it that sees the request end.
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
		RequestTab tab = this.tabs.authenticated(request, response);
		if (this.stage.admits(tab, request, response)) {
			chain.doFilter(request, response);
		}
	}

}
