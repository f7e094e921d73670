package io.tierlimit.limit;

/**
 * What a rule does while the store that several instances share can't be reached. Rules
 * name it and stores apply it.
 */
public enum StoreFailurePolicy {

	/** Each instance decides by buckets of its own. */
	LOCAL,

	/** The rule does not apply to requests. */
	ALLOW,

	/** The rule rejects requests as unavailable, over HTTP with status 503. */
	DENY

}
