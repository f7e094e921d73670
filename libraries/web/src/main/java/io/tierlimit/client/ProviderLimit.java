package io.tierlimit.client;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;

/**
 * The limit that a provider reports in a response.
 *
 * @param remaining the requests that are left
 * @param retryAfter the time until the next request if no request is left; zero if it is
 * unknown
 */
record ProviderLimit(long remaining, Duration retryAfter) {

	static final int TOO_MANY_REQUESTS = 429;

	private static final Pattern QUOTED = Pattern.compile("\"(?:[^\"\\\\]|\\\\.)*+\"");

	/**
	 * The maximum length of a RateLimit header, including all of its lines. Longer
	 * headers are ignored.
	 */
	private static final int MAX_LENGTH = 4000;

	/** The headers of one limit, in the order in which they are read. */
	private static final List<Names> NAMES = List.of(new Names(null, "RateLimit-Remaining", "RateLimit-Reset"),
			new Names(null, "X-RateLimit-Remaining", "X-RateLimit-Reset"),
			new Names("x-ratelimit-limit-requests", "x-ratelimit-remaining-requests", "x-ratelimit-reset-requests"),
			new Names("anthropic-ratelimit-requests-limit", "anthropic-ratelimit-requests-remaining",
					"anthropic-ratelimit-requests-reset"));

	/**
	 * Reads the headers of a response: {@code RateLimit} or, if it is not valid, the
	 * first valid headers of {@link #NAMES}.
	 * @param status the status; after 429, no request is left
	 * @param headers the headers, which may be malformed
	 * @param now the time if the response has no {@code Date}
	 * @return the limit; {@code null} if the response does not report a limit
	 */
	static @Nullable ProviderLimit of(int status, HttpHeaders headers, Instant now) {
		ProviderHeaders values = new ProviderHeaders(headers, now);
		ProviderLimit reported = reported(values);
		Duration retryAfter = (status == TOO_MANY_REQUESTS || status == 503) ? values.retryAfter() : null;
		if (retryAfter == null && status == TOO_MANY_REQUESTS) {
			retryAfter = (reported != null) ? reported.retryAfter : Duration.ZERO;
		}
		if (retryAfter != null) {
			return new ProviderLimit(0, retryAfter);
		}
		return (reported == null || reported.remaining == 0) ? reported
				: new ProviderLimit(reported.remaining, Duration.ZERO);
	}

	private static @Nullable ProviderLimit reported(ProviderHeaders headers) {
		ProviderLimit limit = leastOfPolicies(headers.lines("RateLimit"));
		for (int i = 0; i < NAMES.size() && limit == null; i++) {
			limit = NAMES.get(i).read(headers);
		}
		return limit;
	}

	/**
	 * The policy with the fewest requests left; among policies without requests left, the
	 * policy with the longest wait.
	 */
	private static @Nullable ProviderLimit leastOfPolicies(String field) {
		if (field.length() > MAX_LENGTH) {
			return null;
		}
		String unquoted = QUOTED.matcher(field).replaceAll("");
		if (unquoted.indexOf('"') >= 0) {
			return null;
		}
		ProviderLimit least = null;
		for (String policy : unquoted.split(",", -1)) {
			ProviderLimit limit = policy(policy);
			least = (limit != null) ? least(least, limit) : least;
		}
		return least;
	}

	/**
	 * Reads {@code r} and {@code t} of draft 11, or {@code a} and {@code w}, as later
	 * drafts name them.
	 * @return the limit; {@code null} if the policy has no remaining requests, or if
	 * {@code r} and {@code a} differ
	 */
	private static @Nullable ProviderLimit policy(String policy) {
		Map<String, Long> parameters = parameters(policy);
		Long remaining = parameters.get("r");
		Long available = parameters.get("a");
		if (remaining != null && available != null && !remaining.equals(available)) {
			return null;
		}
		Long left = (remaining != null) ? remaining : available;
		if (left == null) {
			return null;
		}
		// If r is present, w may be the window of the policy.
		Long time = parameters.get((remaining != null) ? "t" : "w");
		return new ProviderLimit(left, (time != null) ? Duration.ofSeconds(time) : Duration.ZERO);
	}

	private static Map<String, Long> parameters(String policy) {
		Map<String, Long> parameters = new HashMap<>();
		for (String parameter : policy.split(";", -1)) {
			String[] parts = parameter.split("=", 2);
			Long value = (parts.length == 2) ? ProviderHeaders.parseCount(parts[1]) : null;
			if (value != null) {
				parameters.put(parts[0].strip(), value);
			}
		}
		return parameters;
	}

	private static ProviderLimit least(@Nullable ProviderLimit one, ProviderLimit other) {
		if (one == null || other.remaining < one.remaining) {
			return other;
		}
		return (other.remaining == one.remaining && other.retryAfter.compareTo(one.retryAfter) > 0) ? other : one;
	}

	/**
	 * The names of the headers of one limit.
	 *
	 * @param limit the header with the limit, above which no more requests can be left;
	 * {@code null} if it is not read
	 * @param remaining the header with the requests that are left
	 * @param reset the header with the time of the reset
	 */
	private record Names(@Nullable String limit, String remaining, String reset) {

		@Nullable ProviderLimit read(ProviderHeaders headers) {
			Long remaining = headers.count(this.remaining);
			Long limit = (this.limit != null) ? headers.count(this.limit) : null;
			if (remaining == null || (limit != null && remaining > limit)) {
				return null;
			}
			Duration reset = headers.reset(this.reset);
			return new ProviderLimit(remaining, (reset != null) ? reset : Duration.ZERO);
		}

	}

}
