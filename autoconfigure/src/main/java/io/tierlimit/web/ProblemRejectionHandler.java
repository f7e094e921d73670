package io.tierlimit.web;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.tierlimit.RuleDecision;
import io.tierlimit.Verdict;
import io.tierlimit.spi.RateLimitRejectionHandler;
import io.tierlimit.web.header.RateLimitHeaders;
import jakarta.servlet.ServletOutputStream;
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

	private static final String ABNORMAL_USAGE = "https://iana.org/assignments/http-problem-types#abnormal-usage-detected";

	private static final String REDUCED_CAPACITY = "https://iana.org/assignments/http-problem-types#temporary-reduced-capacity";

	private static final JsonWriter<Map<String, Object>> JSON = JsonWriter.standard();

	private static final JsonWriter<String> TEXT = JsonWriter.standard();

	@Override
	public void handle(Verdict verdict, HttpServletRequest request, HttpServletResponse response) throws IOException {
		switch (verdict.outcome()) {
			case DENIED -> write(response, "about:blank", "The request needs an authenticated caller.");
			case INVALID -> write(response, "about:blank", "A value that a rate limit needs is not valid.");
			case UNAVAILABLE -> write(response, REDUCED_CAPACITY, "The limits of this request cannot be looked up.");
			default -> {
				// The same wait as in the header, because the jitter is random.
				write(response, Reason.of(verdict).begin(response.getStatus()),
						violated(verdict, response.getHeader("Retry-After")));
			}
		}
	}

	private static void write(HttpServletResponse response, String type, String detail) throws IOException {
		write(response, new byte[0], problem(type, HttpStatus.valueOf(response.getStatus()), detail));
	}

	private static void write(HttpServletResponse response, byte[] begin, String end) throws IOException {
		byte[] rest = end.getBytes(StandardCharsets.UTF_8);
		response.setContentType(MediaType.APPLICATION_PROBLEM_JSON_VALUE);
		response.setContentLength(begin.length + rest.length);
		ServletOutputStream output = response.getOutputStream();
		output.write(begin);
		output.write(rest);
	}

	/**
	 * The violated rules, the wait in seconds if it is known, and the closing brackets.
	 */
	private static String violated(Verdict verdict, @Nullable String wait) {
		List<RuleDecision> decisions = verdict.decisions();
		StringBuilder json = new StringBuilder(64);
		for (int i = 0; i < decisions.size(); i++) {
			RuleDecision decision = decisions.get(i);
			if (decision.violated() && RateLimitHeaders.isShown(decision)) {
				append(decision.rule(), json.isEmpty() ? json : json.append(','));
			}
		}
		json.append(']');
		if (isSeconds(wait)) {
			json.append(",\"retry-after\":").append(wait);
		}
		return json.append('}').toString();
	}

	/** The id of a rule needs no escapes, but an application may throw any verdict. */
	private static void append(String rule, StringBuilder json) {
		boolean plain = true;
		for (int i = 0; plain && i < rule.length(); i++) {
			char c = rule.charAt(i);
			plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z')
					|| "._-#".indexOf(c) >= 0;
		}
		if (plain) {
			json.append('"').append(rule).append('"');
		}
		else {
			json.append(TEXT.writeToString(rule));
		}
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

	/**
	 * Why a request is rejected.
	 */
	private static final class Reason {

		private static final Reason OVER_LIMIT = new Reason(QUOTA_EXCEEDED, "The request is over its rate limit.");

		private static final Reason BANNED = new Reason(ABNORMAL_USAGE,
				"The caller is banned for a time after too many rejected requests.");

		private static final Reason BLOCKED = new Reason(ABNORMAL_USAGE, "The caller is blocked.");

		private final String type;

		private final String detail;

		/** The body with status 429, up to the violated rules. */
		private final byte[] tooManyRequests;

		private Reason(String type, String detail) {
			this.type = type;
			this.detail = detail;
			this.tooManyRequests = begin(HttpStatus.TOO_MANY_REQUESTS);
		}

		static Reason of(Verdict verdict) {
			return verdict.blocked() ? BLOCKED : verdict.banned() ? BANNED : OVER_LIMIT;
		}

		byte[] begin(int status) {
			return (status == HttpStatus.TOO_MANY_REQUESTS.value()) ? this.tooManyRequests
					: begin(HttpStatus.valueOf(status));
		}

		private byte[] begin(HttpStatus status) {
			String problem = problem(this.type, status, this.detail);
			return (problem.substring(0, problem.length() - 1) + ",\"violated-policies\":[")
				.getBytes(StandardCharsets.UTF_8);
		}

	}

}
