package io.tierlimit;

/**
 * What a rule does with a caller who lacks what its key needs: a principal, or the value
 * of an expression.
 */
public enum AnonymousPolicy {

	/** The caller's address takes the place of what is missing. */
	IP,

	/** The rule doesn't hold. */
	SKIP,

	/** The request is answered with 403 and nothing is charged. */
	DENY

}
