package io.tierlimit;

/**
 * Whether responses show a rule to clients.
 */
public enum HeaderVisibility {

	/** The headers contain the rule's limit and level. */
	SHOWN,

	/** Neither the headers nor the body of a rejection name the rule. */
	HIDDEN

}
