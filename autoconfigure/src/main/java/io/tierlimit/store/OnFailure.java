package io.tierlimit.store;

/**
 * What becomes of a charge while the store that several instances share can't be reached.
 */
public enum OnFailure {

	/** This instance decides it by buckets of its own. */
	LOCAL,

	/** It drops out: the request is not held to it. */
	ALLOW,

	/** It stops the request, which is answered as unavailable. */
	DENY

}
