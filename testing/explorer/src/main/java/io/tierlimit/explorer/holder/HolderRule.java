package io.tierlimit.explorer.holder;

/**
 * A rule of the protocol. Without any one of them, an invariant is violated.
 */
public enum HolderRule {

	/** A holder ends unless it is renewed. */
	END,

	/** Instances renew the holders of their requests. */
	RENEW,

	/** A renewal adds no holder. */
	RENEW_WHAT_IS_THERE,

	/** A holder is not renewed beyond the maximum duration. */
	MAX_DURATION,

	/** A release removes the holder of its own request only. */
	RELEASE_OWN,

	/** A release goes to the bucket of the acquisition, even if the rule has changed. */
	RELEASE_WHAT_WAS_ACQUIRED,

	/** A request without a reply releases what it may have acquired. */
	RELEASE_AFTER_TIMEOUT,

	/** The holder of a request without a reply is not renewed. */
	DROP_AFTER_TIMEOUT

}
