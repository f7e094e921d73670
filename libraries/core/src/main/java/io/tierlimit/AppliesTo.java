package io.tierlimit;

/**
 * What a rule applies to.
 */
public enum AppliesTo {

	/** To every matching HTTP request. */
	REQUESTS,

	/**
	 * Not to requests, only where code names the rule: {@link RateLimited},
	 * {@link RateLimiter}.
	 */
	CODE

}
