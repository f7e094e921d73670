package io.tierlimit;

/**
 * What a rule applies to.
 */
public enum AppliesTo {

	/** The rule applies to every matching HTTP request. */
	REQUESTS,

	/**
	 * The rule applies only where code names it, with {@link RateLimited} or a
	 * {@link RateLimiter}.
	 */
	CODE

}
