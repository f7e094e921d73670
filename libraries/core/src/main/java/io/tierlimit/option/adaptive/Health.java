package io.tierlimit.option.adaptive;

/**
 * The health of a resource, measured by the requests under one rule. The constants are in
 * ascending order: a later constant is stronger evidence of a recovery.
 */
enum Health {

	/** Too many requests were slow or have failed. */
	OVERLOADED,

	/** There are too few results for an evaluation, or a backlog is being served. */
	UNKNOWN,

	/** One to nine requests are in flight, and no request has ended for ten seconds. */
	HANGING,

	/** No request is in flight, and no request has ended for ten seconds. */
	IDLE,

	/** Enough requests were served in time, or the rule has only a signal. */
	HEALTHY

}
