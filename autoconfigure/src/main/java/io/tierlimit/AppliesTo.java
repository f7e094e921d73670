package io.tierlimit;

/**
 * Where a rule is held.
 */
public enum AppliesTo {

	/** On every HTTP request that it selects. */
	REQUESTS,

	/** Only where an annotation names it. */
	METHODS

}
