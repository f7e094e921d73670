package io.tierlimit.web.header;

/**
 * What {@code X-RateLimit-Reset} counts.
 */
public enum XRateLimitReset {

	/** Seconds from now. */
	DELTA,

	/** Seconds since the epoch. */
	EPOCH

}
