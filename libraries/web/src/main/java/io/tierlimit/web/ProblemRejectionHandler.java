package io.tierlimit.web;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.tierlimit.RuleDecision;
import io.tierlimit.Verdict;
import io.tierlimit.spi.web.RateLimitRejectionHandler;
import io.tierlimit.web.header.RateLimitHeaders;
import io.tierlimit.web.header.RejectionReason;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.json.JsonWriter;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;

/**
 * Writes problem details (RFC 9457) for each status of a rejection: 429 (with the
 * violated rules), 403 for a caller that lacks the key of a rule, 400 for an invalid
 * client-supplied value, and 503 if the store cannot be reached and a rule rejects
 * requests in this case.
 */
public final class ProblemRejectionHandler implements RateLimitRejectionHandler {

	private static final JsonWriter<Map<String, Object>> JSON = JsonWriter.standard();

	private static final JsonWriter<String> TEXT = JsonWriter.standard();

	/** The beginnings of bodies with status 429, up to the violated rules. */
	private static final Map<RejectionReason, byte[]> BEGINNINGS = Arrays.stream(RejectionReason.values())
		.collect(Collectors.toMap(Function.identity(), (reason) -> begin(reason, HttpStatus.TOO_MANY_REQUESTS)));

	@Override
	public void handle(Verdict verdict, HttpServletRequest request, HttpServletResponse response) throws IOException {
		RejectionReason reason = RejectionReason.of(verdict);
		HttpStatus status = HttpStatus.valueOf(response.getStatus());
		if (reason.status() != HttpStatus.TOO_MANY_REQUESTS.value()) {
			write(response, new byte[0], problem(reason, status));
			return;
		}
		byte[] begin = (status == HttpStatus.TOO_MANY_REQUESTS) ? Objects.requireNonNull(BEGINNINGS.get(reason))
				: begin(reason, status);
		// The same wait as in the header, because the jitter is random.
		write(response, begin, violated(verdict, response.getHeader("Retry-After")));
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

	/**
	 * Appends the id of a rule as a JSON string. Ids of rules need no escapes, but an
	 * application may throw an exception with any verdict.
	 */
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

	private static byte[] begin(RejectionReason reason, HttpStatus status) {
		String problem = problem(reason, status);
		return (problem.substring(0, problem.length() - 1) + ",\"violated-policies\":[")
			.getBytes(StandardCharsets.UTF_8);
	}

	private static String problem(RejectionReason reason, HttpStatus status) {
		Map<String, Object> problem = new LinkedHashMap<>();
		problem.put("type", reason.problemType());
		problem.put("title", status.getReasonPhrase());
		problem.put("status", status.value());
		problem.put("detail", reason.detail());
		return JSON.writeToString(problem);
	}

}
