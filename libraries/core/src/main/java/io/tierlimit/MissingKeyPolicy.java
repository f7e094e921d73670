package io.tierlimit;

/**
 * How a rule treats a caller without a value for a part of the rule's key. An example is
 * an anonymous caller under a rule with scope {@code user}.
 */
public enum MissingKeyPolicy {

	/** The client address replaces the missing part. */
	IP,

	/** The rule does not apply. */
	SKIP,

	/** The request is rejected with status 403, and nothing is charged. */
	DENY

}
