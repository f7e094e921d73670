package io.tierlimit.web;

import java.util.List;

import io.tierlimit.rule.RequestOutcome;
import io.tierlimit.rule.RequestOutcome.Event;
import io.tierlimit.rule.Rule;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;
import org.springframework.web.cors.CorsUtils;
import org.springframework.web.cors.PreFlightRequestHandler;

/**
 * Recognizes CORS preflights. A preflight never has credentials, and does not reach a
 * handler of the application, so most rules do not charge it. It is only known at the end
 * of a request whether it was a preflight, so the request is charged until then.
 */
final class Preflight {

	/** Headers that browsers never send in a preflight. */
	private static final List<String> CREDENTIALS = List.of(HttpHeaders.AUTHORIZATION, HttpHeaders.PROXY_AUTHORIZATION,
			HttpHeaders.COOKIE);

	private static final String CLIENT_CERTIFICATE = "jakarta.servlet.request.X509Certificate";

	private Preflight() {
	}

	/**
	 * Whether a request may be a preflight: it has the headers of a preflight and no
	 * credentials, no header announces a body, and Spring MVC would not call a handler of
	 * the application.
	 */
	static boolean isPossible(RateLimitExchange exchange, HttpServletRequest request) {
		if (!CorsUtils.isPreFlightRequest(request) || hasCredentials(request) || ContentTypes.announcesBody(request)) {
			return false;
		}
		Handler handler = exchange.handler();
		return handler != null && isAnsweredBy(handler.object());
	}

	private static boolean hasCredentials(HttpServletRequest request) {
		return CREDENTIALS.stream().anyMatch((name) -> request.getHeader(name) != null)
				|| request.getAttribute(CLIENT_CERTIFICATE) != null;
	}

	/** Whether a handler only responds to preflights. */
	static boolean isAnsweredBy(Object handler) {
		return handler instanceof PreFlightRequestHandler;
	}

	/**
	 * Whether a request that may be a preflight was a preflight: Spring MVC or a CORS
	 * filter has allowed it without authentication, it has no body, and it did not fail.
	 */
	static boolean isAllowed(HttpServletRequest request, @Nullable HttpServletResponse response,
			RequestOutcome outcome) {
		return response != null && response.getStatus() / 100 == 2
				&& response.containsHeader(HttpHeaders.ACCESS_CONTROL_ALLOW_METHODS)
				&& BodyTrackingRequest.hasNoBody(request) && outcome.authenticated().isEmpty()
				&& !outcome.has(Event.AUTHENTICATION_FAILED) && !outcome.has(Event.FAILED);
	}

	/**
	 * Whether a rule does not charge an allowed preflight. Only a rule whose methods
	 * include OPTIONS charges it.
	 */
	static boolean isFree(Rule rule) {
		return !rule.selection().methods().contains("OPTIONS");
	}

}
