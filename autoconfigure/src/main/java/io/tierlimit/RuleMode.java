package io.tierlimit;

/**
 * Whether a rule rejects.
 */
public enum RuleMode {

	/** Requests over the limit are rejected. */
	ENFORCE,

	/** The rule is charged as if it stood alone, and rejects nothing. */
	SHADOW

}
