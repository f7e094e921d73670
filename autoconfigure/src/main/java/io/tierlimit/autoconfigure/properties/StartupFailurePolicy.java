package io.tierlimit.autoconfigure.properties;

/**
 * What happens at startup if a rule source cannot be read, or has rules that are not
 * valid.
 */
public enum StartupFailurePolicy {

	/** The application does not start. */
	FAIL,

	/** The application starts without the rules of all sources. */
	IGNORE

}
