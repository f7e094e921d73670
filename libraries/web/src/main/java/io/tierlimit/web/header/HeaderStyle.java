package io.tierlimit.web.header;

import java.util.Collection;
import java.util.List;

/**
 * A style of the headers that report limits to callers.
 */
public enum HeaderStyle {

	/**
	 * {@code RateLimit-Policy} and {@code RateLimit} as in
	 * draft-ietf-httpapi-ratelimit-headers-11, for every rule.
	 */
	DRAFT_11(List.of(
			new LimitHeader("RateLimit-Policy", false,
					"The quota (q) of each rate limit, and its window in seconds (w) or, if it limits the requests in "
							+ "progress, its unit (qu)."),
			new LimitHeader("RateLimit", false,
					"For each rate limit, the remaining requests (r). If r is above 0, t is the seconds in which they can be "
							+ "sent; otherwise the seconds until the next request. Without t, the time is not known."))),

	/**
	 * {@code RateLimit-Limit}, {@code RateLimit-Remaining} and {@code RateLimit-Reset} as
	 * in draft-ietf-httpapi-ratelimit-headers-06, of the rule closest to rejection. Rules
	 * with a concurrency limit are omitted, because they have no time of a reset.
	 */
	DRAFT_06(LimitHeader.triple("RateLimit-",
			"The seconds until this rate limit is full again or, if the request is rejected, the value of Retry-After.")),

	/**
	 * {@code X-RateLimit-Limit}, {@code X-RateLimit-Remaining} and
	 * {@code X-RateLimit-Reset} of the rule closest to rejection, except rules with a
	 * concurrency limit. The reset is a time in seconds since the epoch.
	 */
	X_RATELIMIT(LimitHeader.triple("X-RateLimit-",
			"When this rate limit is full again, as a time in seconds since the epoch.")),

	/**
	 * The headers of {@link #X_RATELIMIT}. The reset is in seconds from now.
	 */
	X_RATELIMIT_DELTA(LimitHeader.triple("X-RateLimit-", "The seconds until this rate limit is full again."));

	@SuppressWarnings("ImmutableEnumChecker") // the list is immutable
	private final List<LimitHeader> headers;

	HeaderStyle(List<LimitHeader> headers) {
		this.headers = headers;
	}

	/**
	 * Checks whether styles can be written together.
	 * @param styles the styles
	 * @throws IllegalArgumentException if two of them have the same headers
	 */
	public static void check(Collection<HeaderStyle> styles) {
		if (styles.contains(X_RATELIMIT) && styles.contains(X_RATELIMIT_DELTA)) {
			throw new IllegalArgumentException(
					"x-ratelimit and x-ratelimit-delta write the same headers, so only one of them is possible");
		}
	}

	/**
	 * The headers of the style.
	 * @return the headers in the order in which they are written; styles that can be
	 * written together have different headers
	 */
	public List<LimitHeader> headers() {
		return this.headers;
	}

	/**
	 * Whether the style describes every rule. Other styles describe the rule closest to
	 * rejection, and no rule with a concurrency limit.
	 * @return whether all rules have a header
	 */
	public boolean describesEveryRule() {
		return this == DRAFT_11;
	}

}
