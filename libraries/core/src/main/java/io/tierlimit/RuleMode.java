package io.tierlimit;

/**
 * Whether a rule rejects requests.
 */
public enum RuleMode {

	/** Requests over the limit are rejected. */
	ENFORCE,

	/** The rule is charged as if it were the only rule, and rejects nothing. */
	SHADOW

}
