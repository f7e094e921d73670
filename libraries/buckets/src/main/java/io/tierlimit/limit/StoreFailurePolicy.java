package io.tierlimit.limit;

/**
 * How a rule decides while a shared store cannot be reached. Rules have a policy, and
 * stores apply it.
 */
public enum StoreFailurePolicy {

	/** Each instance decides by its own buckets. */
	LOCAL,

	/** The rule does not apply to requests. */
	ALLOW,

	/** The rule rejects requests as unavailable; the HTTP status is 503. */
	DENY

}
