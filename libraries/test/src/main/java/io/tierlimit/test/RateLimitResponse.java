package io.tierlimit.test;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.json.JsonParseException;
import org.springframework.boot.json.JsonParserFactory;

/**
 * The parts of an HTTP response that show rate limits. {@link RateLimitAssert} uses it
 * for the responses of any client.
 *
 * @param status the status code
 * @param headers all headers; the case of their names is ignored
 * @param body the body, if any
 */
public record RateLimitResponse(int status, Map<String, List<String>> headers, @Nullable String body) {

	/** An item of {@code RateLimit}: the id of a rule, and its remaining permits. */
	private static final Pattern ITEM = Pattern.compile("\"([^\"]+)\"[^,\"]*?;r=(\\d+)");

	/**
	 * Creates a response.
	 */
	public RateLimitResponse {
		Map<String, List<String>> copy = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
		headers.forEach((name, values) -> copy.put(name, List.copyOf(values)));
		headers = Collections.unmodifiableMap(copy);
	}

	/** The value of a header; several values are joined by commas, as HTTP defines it. */
	@Nullable String header(String name) {
		List<String> values = this.headers.get(name);
		return (values != null) ? String.join(", ", values) : null;
	}

	/**
	 * The remaining permits by rule, or {@code null} if there is no {@code RateLimit}.
	 */
	@Nullable Map<String, Long> remaining() {
		String header = header("RateLimit");
		if (header == null) {
			return null;
		}
		Map<String, Long> remaining = new LinkedHashMap<>();
		Matcher items = ITEM.matcher(header);
		while (items.find()) {
			remaining.put(items.group(1), Long.valueOf(items.group(2)));
		}
		return remaining;
	}

	/**
	 * The violated rules of problem details, or {@code null} if the body does not have
	 * them.
	 */
	@Nullable List<String> violatedPolicies() {
		String type = header("Content-Type");
		if (this.body == null || type == null || !type.contains("json")) {
			return null;
		}
		try {
			Object violated = JsonParserFactory.getJsonParser().parseMap(this.body).get("violated-policies");
			return (violated instanceof List<?> rules) ? rules.stream().map(String::valueOf).toList() : null;
		}
		catch (JsonParseException ex) {
			return null;
		}
	}

	/** All parts that an assertion may read, for its failure message. */
	@Override
	public String toString() {
		return "status: " + this.status + "\n  Retry-After: " + shown(header("Retry-After")) + "\n  RateLimit: "
				+ shown(header("RateLimit")) + "\n  violated-policies: " + shown(violatedPolicies());
	}

	private static Object shown(@Nullable Object value) {
		return (value != null) ? value : "(none)";
	}

}
