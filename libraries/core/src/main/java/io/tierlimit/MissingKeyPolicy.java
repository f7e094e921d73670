package io.tierlimit;

/**
 * How a rule treats a caller who lacks a part of its key: a principal, or the value of an
 * expression.
 */
public enum MissingKeyPolicy {

	/** The client address replaces the missing part. */
	IP,

	/** The rule does not apply. */
	SKIP,

	/** The request is rejected with status 403, and nothing is charged. */
	DENY

}
