package io.tierlimit.limit;

/**
 * How a rule decides while a shared store cannot be reached.
 */
public enum StoreFailurePolicy {

	/** Each instance decides with its own buckets. */
	LOCAL,

	/** The rule is not checked. */
	ALLOW,

	/** The rule rejects all requests with HTTP status 503 (Service Unavailable). */
	DENY

}
