package io.tierlimit.rule;

/**
 * What a rule does while the store that several instances share can't be reached.
 */
public enum OnStoreFailure {

	/** Each instance decides by buckets of its own. */
	LOCAL,

	/** Requests are not held to the rule. */
	ALLOW,

	/** Requests are answered with 503. */
	DENY

}
