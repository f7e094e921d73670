package io.tierlimit.web;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.tierlimit.RuleDecision;
import io.tierlimit.Verdict;
import io.tierlimit.spi.RateLimitRejectionHandler;
import io.tierlimit.web.header.RateLimitHeaders;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.json.JsonWriter;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;

/**
 * Writes problem details (RFC 9457): for 429 with the violated rules, for 403 to an
 * anonymous caller, for 400 after an invalid client-supplied value, for 503 if the store
 * is not available and a rule rejects requests then.
 */
public final class ProblemRejectionHandler implements RateLimitRejectionHandler {

	private static final String QUOTA_EXCEEDED = "https://iana.org/assignments/http-problem-types#quota-exceeded";

	private static final String REDUCED_CAPACITY = "https://iana.org/assignments/http-problem-types#temporary-reduced-capacity";

	private static final JsonWriter<Map<String, Object>> JSON = JsonWriter.standard();

	private static final JsonWriter<List<String>> LIST = JsonWriter.standard();

	/** The JSON of a rejection by a limit with status 429, up to the violated rules. */
	private static final String OVER_LIMIT = overLimit(HttpStatus.TOO_MANY_REQUESTS);

	@Override
	public void handle(Verdict verdict, HttpServletRequest request, HttpServletResponse response) throws IOException {
		HttpStatus status = HttpStatus.valueOf(response.getStatus());
		byte[] body = body(verdict, status, response).getBytes(StandardCharsets.UTF_8);
		response.setContentType(MediaType.APPLICATION_PROBLEM_JSON_VALUE);
		response.setContentLength(body.length);
		response.getOutputStream().write(body);
	}

	private static String body(Verdict verdict, HttpStatus status, HttpServletResponse response) {
		return switch (verdict.outcome()) {
			case DENIED -> problem("about:blank", status, "The request needs an authenticated caller.");
			case INVALID -> problem("about:blank", status, "A value that a rate limit needs is not valid.");
			case UNAVAILABLE -> problem(REDUCED_CAPACITY, status, "The limits of this request cannot be looked up.");
			default -> overLimit(verdict, status, response);
		};
	}

	private static String overLimit(HttpStatus status) {
		String problem = problem(QUOTA_EXCEEDED, status, "The request is over its rate limit.");
		return problem.substring(0, problem.length() - 1) + ",\"violated-policies\":";
	}

	private static String overLimit(Verdict verdict, HttpStatus status, HttpServletResponse response) {
		List<String> violated = new ArrayList<>();
		for (RuleDecision decision : verdict.decisions()) {
			if (decision.violated() && RateLimitHeaders.isShown(decision)) {
				violated.add(decision.rule());
			}
		}
		String rules = LIST.writeToString(violated);
		// The same value as in the header, because the jitter is random.
		String wait = response.getHeader("Retry-After");
		String problem = ((status == HttpStatus.TOO_MANY_REQUESTS) ? OVER_LIMIT : overLimit(status)) + rules;
		return isSeconds(wait) ? problem + ",\"retry-after\":" + wait + '}' : problem + '}';
	}

	/** Whether a header is a number that JSON allows. */
	private static boolean isSeconds(@Nullable String header) {
		if (header == null || header.isEmpty() || header.length() > 18) {
			return false;
		}
		for (int i = 0; i < header.length(); i++) {
			if (header.charAt(i) < ((i > 0) ? '0' : '1') || header.charAt(i) > '9') {
				return false;
			}
		}
		return true;
	}

	private static String problem(String type, HttpStatus status, String detail) {
		Map<String, Object> problem = new LinkedHashMap<>();
		problem.put("type", type);
		problem.put("title", status.getReasonPhrase());
		problem.put("status", status.value());
		problem.put("detail", detail);
		return JSON.writeToString(problem);
	}

}
