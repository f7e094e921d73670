package io.tierlimit.web;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

import io.tierlimit.Verdict;
import io.tierlimit.evaluation.CallerLimits;
import io.tierlimit.evaluation.Stage;
import io.tierlimit.web.header.BucketMembers;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.json.JsonWriter;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;

/**
 * Responds to requests of callers for their own limits. The filter after authentication
 * calls the handler, so that it works in every servlet application, and Spring Security
 * decides which callers may send such a request.
 *
 * @param path the path, relative to the context path; {@code null} for none, so that no
 * request gets a response
 * @param limits reads the buckets of a caller
 * @param cors lets scripts of other origins read the response
 * @param responses writes the response if the limits cannot be read
 */
public record LimitsHandler(@Nullable String path, CallerLimits limits, CorsResponseHeaders cors,
		RateLimitResponses responses) {

	private static final String METHODS = "GET, HEAD, OPTIONS";

	private static final JsonWriter<Map<String, Object>> JSON = JsonWriter.standard();

	/**
	 * Responds to a request for the path after authentication.
	 * @return false, without a response, for a request for another path or before
	 * authentication
	 */
	boolean answer(Stage stage, RateLimitExchange exchange, HttpServletRequest request, HttpServletResponse response)
			throws ServletException, IOException {
		if (this.path == null || stage == Stage.BEFORE_AUTHENTICATION
				|| !RequestPaths.normalized(request).equals(this.path)) {
			return false;
		}
		String method = request.getMethod();
		response.setHeader(HttpHeaders.CACHE_CONTROL, "no-store");
		if (method.equals(HttpMethod.GET.name()) || method.equals(HttpMethod.HEAD.name())) {
			answer(this.limits.of(exchange.caller()), exchange, request, response);
			return true;
		}
		this.cors.allow(exchange, request, response);
		response.setHeader(HttpHeaders.ALLOW, METHODS);
		response.setStatus(method.equals(HttpMethod.OPTIONS.name()) ? HttpStatus.OK.value()
				: HttpStatus.METHOD_NOT_ALLOWED.value());
		return true;
	}

	private void answer(Verdict verdict, RateLimitExchange exchange, HttpServletRequest request,
			HttpServletResponse response) throws ServletException, IOException {
		if (!verdict.allowed()) {
			this.responses.reject(verdict, exchange, request, response);
			return;
		}
		this.cors.allow(exchange, request, response);
		List<Map<String, Object>> buckets = verdict.decisions().stream().map(BucketMembers::of).toList();
		byte[] body = JSON.writeToString(Map.of("limits", buckets)).getBytes(StandardCharsets.UTF_8);
		response.setContentType(MediaType.APPLICATION_JSON_VALUE);
		response.setContentLength(body.length);
		if (request.getMethod().equals(HttpMethod.GET.name())) {
			response.getOutputStream().write(body);
		}
	}

}
