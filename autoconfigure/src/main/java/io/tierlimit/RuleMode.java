package io.tierlimit;

/**
 * Whether a rule refuses.
 */
public enum RuleMode {

	/** Requests over the limit are refused. */
	ENFORCE,

	/** The rule is charged as if it stood alone, and refuses nothing. */
	SHADOW

}
