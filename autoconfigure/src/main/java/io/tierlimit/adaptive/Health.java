package io.tierlimit.adaptive;

/**
 * The health of a resource, as far as its requests and signals show it.
 */
enum Health {

	/** Enough requests were served in time, or there were none for a while. */
	HEALTHY,

	/** There are too few results for a judgment, or a backlog is being served. */
	UNKNOWN,

	/** Too many requests were slow or have failed, or a signal reports overload. */
	OVERLOADED

}
