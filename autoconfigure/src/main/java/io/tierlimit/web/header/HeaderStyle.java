package io.tierlimit.web.header;

/**
 * A family of headers that report limits to callers.
 */
public enum HeaderStyle {

	/**
	 * {@code RateLimit-Policy} and {@code RateLimit} as in
	 * draft-ietf-httpapi-ratelimit-headers-11, for every rule.
	 */
	IETF,

	/**
	 * {@code RateLimit-Limit}, {@code RateLimit-Remaining} and {@code RateLimit-Reset} of
	 * the rule closest to rejection.
	 */
	CLASSIC,

	/**
	 * {@code X-RateLimit-Limit}, {@code X-RateLimit-Remaining} and
	 * {@code X-RateLimit-Reset} of the rule closest to rejection.
	 */
	X_RATELIMIT

}
