package io.tierlimit.web;

import java.io.IOException;
import java.util.List;

import io.tierlimit.RateLimitExceededException;
import io.tierlimit.Verdict;
import io.tierlimit.Verdict.Outcome;
import io.tierlimit.evaluation.Stage;
import io.tierlimit.spi.InvalidRequestValueException;
import io.tierlimit.web.RateLimitExchange.Progress;
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
 * Checks every HTTP request against the rules of one stage. With Spring Security, one
 * filter is registered before Spring Security's filter and one after it; otherwise there
 * is only one filter. The first filter that a request reaches begins the exchange, and
 * ends it after the filter chain. A forwarded or dispatched request reaches the filters
 * again, and is checked once for each target. If it is forwarded before it reaches a
 * filter, it is checked for the new target only. If a servlet throws a rejection, the
 * filter writes the response; within Spring MVC, an exception resolver writes the
 * response.
 *
 * @param stage the stage whose rules this filter evaluates
 * @param limiter checks requests
 * @param responses writes the response if a servlet throws a rejection
 * @param proxies warns if a header shows a proxy that is not trusted
 * @param limits responds to requests of callers for their own limits
 */
public record RateLimitFilter(Stage stage, RequestRateLimiter limiter, RateLimitResponses responses,
		UntrustedProxyWarning proxies, LimitsHandler limits) implements Filter {

	/**
	 * The order in the filter chain: before Spring Security's filter (-100), and after
	 * Spring's filter that binds the request to the thread (-105).
	 */
	public static final int DEFAULT_ORDER = -103;

	/** The order of the second filter: 10 after Spring Security's filter. */
	public static final int AUTHENTICATED_ORDER = -90;

	@Override
	public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
			throws ServletException, IOException {
		if (!(request instanceof HttpServletRequest http) || !(response instanceof HttpServletResponse answer)) {
			throw new ServletException("Only HTTP requests are supported");
		}
		RateLimitExchange exchange = RateLimitExchange.of(http);
		if (isErrorPage(http)) {
			chain.doFilter(request, response);
		}
		else if (exchange != null && exchange.isFiltered() && !exchange.isCompleted()) {
			resume(exchange, BodyTrackingRequest.of(http), answer, chain);
		}
		else {
			begin(BodyTrackingRequest.of(http), answer, chain);
		}
	}

	/**
	 * Whether Spring Boot's filter for a deployed WAR has forwarded the request to an
	 * error page.
	 */
	static boolean isErrorPage(HttpServletRequest request) {
		return request.getDispatcherType() == DispatcherType.FORWARD
				&& request.getAttribute(RequestDispatcher.ERROR_STATUS_CODE) != null;
	}

	private void begin(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
			throws ServletException, IOException {
		RateLimitExchange exchange = this.limiter.begin(request, response, Progress.FILTERED);
		try {
			serveAndRecord(exchange, request, response, chain);
		}
		finally {
			exchange.end(request);
		}
	}

	/**
	 * Serves a request that has already reached this filter or the other filter. The
	 * filter that began the exchange handles exceptions of a forward, but has already
	 * returned when an asynchronous dispatch arrives.
	 */
	private void resume(RateLimitExchange exchange, HttpServletRequest request, HttpServletResponse response,
			FilterChain chain) throws ServletException, IOException {
		if (request.getDispatcherType() != DispatcherType.ASYNC) {
			serve(exchange, request, response, chain);
			return;
		}
		exchange.outcome().recordDispatch();
		serveAndRecord(exchange, request, response, chain);
	}

	/** Records an exception that leaves this filter. */
	private void serveAndRecord(RateLimitExchange exchange, HttpServletRequest request, HttpServletResponse response,
			FilterChain chain) throws ServletException, IOException {
		try {
			serveOrReject(exchange, request, response, chain);
		}
		catch (IOException | ServletException | RuntimeException | Error ex) {
			exchange.recordFailure(ex);
			throw ex;
		}
	}

	private void serveOrReject(RateLimitExchange exchange, HttpServletRequest request, HttpServletResponse response,
			FilterChain chain) throws ServletException, IOException {
		try {
			serve(exchange, request, response, chain);
		}
		catch (RateLimitExceededException | InvalidRequestValueException ex) {
			Verdict rejection = rejection(ex);
			if (rejection == null || response.isCommitted()) {
				throw ex;
			}
			this.responses.replace(rejection, request, response);
		}
	}

	private static @Nullable Verdict rejection(RuntimeException ex) {
		return (ex instanceof RateLimitExceededException exceeded) ? exceeded.verdict()
				: new Verdict(Outcome.INVALID, List.of());
	}

	private void serve(RateLimitExchange exchange, HttpServletRequest request, HttpServletResponse response,
			FilterChain chain) throws ServletException, IOException {
		HttpServletRequest counting = exchange.countBody(request);
		boolean allowed = this.limiter.allows(this.stage, exchange, counting, response);
		if (exchange.transaction() != null) {
			this.proxies.check(counting);
		}
		if (allowed && !this.limits.answer(this.stage, exchange, counting, response)) {
			chain.doFilter(counting, exchange.track(response));
		}
	}

}
