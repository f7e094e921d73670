package io.tierlimit.web;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

import io.tierlimit.RuleDecision;
import io.tierlimit.Verdict;
import io.tierlimit.spi.RateLimitRejectionHandler;
import io.tierlimit.web.header.RateLimitHeaders;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

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

	private static final Pattern SECONDS = Pattern.compile("\\d{1,18}");

	private static final JsonWriter<Map<String, Object>> JSON = JsonWriter.standard();

	@Override
	public void handle(Verdict verdict, HttpServletRequest request, HttpServletResponse response) throws IOException {
		HttpStatus status = HttpStatus.valueOf(response.getStatus());
		byte[] body = JSON.writeToString(problem(verdict, status, response)).getBytes(StandardCharsets.UTF_8);
		response.setContentType(MediaType.APPLICATION_PROBLEM_JSON_VALUE);
		response.setContentLength(body.length);
		response.getOutputStream().write(body);
	}

	private static Map<String, Object> problem(Verdict verdict, HttpStatus status, HttpServletResponse response) {
		return switch (verdict.outcome()) {
			case DENIED -> problem("about:blank", status, "The request needs an authenticated caller.");
			case INVALID -> problem("about:blank", status, "A value that a rate limit needs is not valid.");
			case UNAVAILABLE -> problem(REDUCED_CAPACITY, status, "The limits of this request cannot be looked up.");
			default -> quotaExceeded(verdict, status, response);
		};
	}

	private static Map<String, Object> quotaExceeded(Verdict verdict, HttpStatus status, HttpServletResponse response) {
		List<String> violated = new ArrayList<>();
		for (RuleDecision decision : verdict.violated()) {
			if (RateLimitHeaders.isShown(decision)) {
				violated.add(decision.rule());
			}
		}
		Map<String, Object> problem = problem(QUOTA_EXCEEDED, status, "The request is over its rate limit.");
		problem.put("violated-policies", violated);
		// The same value as in the header, because the jitter is random.
		String wait = response.getHeader("Retry-After");
		if (wait != null && SECONDS.matcher(wait).matches()) {
			problem.put("retry-after", Long.valueOf(wait));
		}
		return problem;
	}

	private static Map<String, Object> problem(String type, HttpStatus status, String detail) {
		Map<String, Object> problem = new LinkedHashMap<>();
		problem.put("type", type);
		problem.put("title", status.getReasonPhrase());
		problem.put("status", status.value());
		problem.put("detail", detail);
		return problem;
	}

}
