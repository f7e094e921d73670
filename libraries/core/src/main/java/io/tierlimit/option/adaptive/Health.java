package io.tierlimit.option.adaptive;

/**
 * The health of a resource, as far as the requests under one rule show it. The constants
 * are in ascending order of their evidence for a recovery.
 */
enum Health {

	/** Too many requests were slow or have failed. */
	OVERLOADED,

	/** There are too few results for a judgment, or a backlog is being served. */
	UNKNOWN,

	/** Fewer than ten requests are in flight, and none has ended for ten seconds. */
	HANGING,

	/** No request is in flight, and none has ended for ten seconds. */
	IDLE,

	/** Enough requests were served in time, or the rule has only a signal. */
	HEALTHY

}
