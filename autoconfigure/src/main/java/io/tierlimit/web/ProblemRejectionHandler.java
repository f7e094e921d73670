package io.tierlimit.web;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.tierlimit.evaluation.RuleDecision;
import io.tierlimit.evaluation.Verdict;
import io.tierlimit.web.header.RateLimitHeaders;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.boot.json.JsonWriter;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;

/**
 * Answers with problem details (RFC 9457): 429 that names the violated rules for what was
 * refused, 403 for what is not for anonymous callers.
 */
public final class ProblemRejectionHandler implements RateLimitRejectionHandler {

	private static final String QUOTA_EXCEEDED = "https://iana.org/assignments/http-problem-types#quota-exceeded";

	private static final JsonWriter<Map<String, Object>> JSON = JsonWriter.standard();

	@Override
	public void handle(Verdict verdict, HttpServletRequest request, HttpServletResponse response) throws IOException {
		boolean refused = verdict.outcome() == Verdict.Outcome.REFUSED;
		HttpStatus status = refused ? HttpStatus.TOO_MANY_REQUESTS : HttpStatus.FORBIDDEN;
		byte[] body = JSON.writeToString(refused ? quotaExceeded(verdict) : forbidden())
			.getBytes(StandardCharsets.UTF_8);
		response.setStatus(status.value());
		response.setContentType(MediaType.APPLICATION_PROBLEM_JSON_VALUE);
		response.setContentLength(body.length);
		response.getOutputStream().write(body);
	}

	private static Map<String, Object> quotaExceeded(Verdict verdict) {
		List<String> violated = new ArrayList<>();
		for (RuleDecision decision : verdict.violated()) {
			if (RateLimitHeaders.isShown(decision)) {
				violated.add(decision.rule().id());
			}
		}
		Map<String, Object> problem = problem(QUOTA_EXCEEDED, HttpStatus.TOO_MANY_REQUESTS,
				"The request is over its rate limit.");
		problem.put("violated-policies", violated);
		RateLimitHeaders.retryAfter(verdict).ifPresent((seconds) -> problem.put("retry-after", seconds));
		return problem;
	}

	private static Map<String, Object> forbidden() {
		return problem("about:blank", HttpStatus.FORBIDDEN, "The request needs an authenticated caller.");
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
