package io.tierlimit.web.header;

import java.util.List;

/**
 * A family of headers that report limits to callers.
 */
public enum HeaderStyle {

	/**
	 * {@code RateLimit-Policy} and {@code RateLimit} as in
	 * draft-ietf-httpapi-ratelimit-headers-11, for every rule.
	 */
	IETF(List.of(
			new LimitHeader("RateLimit-Policy", false,
					"The quota (q) and the window in seconds (w) of each rate limit."),
			new LimitHeader("RateLimit", false,
					"For each rate limit, the remaining requests (r). If r is above 0, t is the seconds in which they can be "
							+ "sent; otherwise the seconds until the next request."))),

	/**
	 * {@code RateLimit-Limit}, {@code RateLimit-Remaining} and {@code RateLimit-Reset} of
	 * the rule closest to rejection.
	 */
	CLASSIC(LimitHeader.triple("RateLimit-")),

	/**
	 * {@code X-RateLimit-Limit}, {@code X-RateLimit-Remaining} and
	 * {@code X-RateLimit-Reset} of the rule closest to rejection.
	 */
	X_RATELIMIT(LimitHeader.triple("X-RateLimit-"));

	@SuppressWarnings("ImmutableEnumChecker") // the list is immutable
	private final List<LimitHeader> headers;

	HeaderStyle(List<LimitHeader> headers) {
		this.headers = headers;
	}

	/**
	 * The headers of the style.
	 * @return the headers in the order in which they are written; no other style has any
	 * of them
	 */
	public List<LimitHeader> headers() {
		return this.headers;
	}

}
