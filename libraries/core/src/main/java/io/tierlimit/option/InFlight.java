package io.tierlimit.option;

import io.tierlimit.rule.RequestOutcome;

/**
 * What an option keeps for a request from its admission to its end, such as the
 * measurement of its duration. Either {@link #end} or {@link #cancel} is called, once.
 * The methods are called by one thread at a time.
 */
public interface InFlight {

	/**
	 * Continues as another caller, such as the user whose address began the request.
	 * @param caller the name of the user, otherwise the address
	 */
	void continueAs(String caller);

	/**
	 * Called when an allowed request has ended.
	 * @param outcome the outcome of the request
	 */
	void end(RequestOutcome outcome);

	/**
	 * Called before the request ends: it was rejected, is evaluated again, or waits for
	 * permits.
	 */
	void cancel();

	/**
	 * Begins again, after {@link #cancel}: the request has waited.
	 * @return what is kept now
	 */
	InFlight again();

	/**
	 * Whether a request keeps at most one of two objects.
	 * @param other the other object
	 * @return whether both are for the same purpose
	 */
	boolean isLike(InFlight other);

}
