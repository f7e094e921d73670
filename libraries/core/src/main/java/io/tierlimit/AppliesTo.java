package io.tierlimit;

/**
 * What a rule applies to.
 */
public enum AppliesTo {

	/** To every matching HTTP request. */
	REQUESTS,

	/** Only to methods and programs that name the rule. */
	METHODS

}
