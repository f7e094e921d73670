package io.tierlimit;

/**
 * Whether the header fields tell callers about a rule.
 */
public enum HeaderVisibility {

	/** The rule's limit and level are in the fields. */
	SHOWN,

	/** Neither the fields nor a rejection's body name the rule. */
	HIDDEN

}
