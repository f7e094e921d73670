package io.tierlimit.option;

import io.tierlimit.rule.RequestOutcome;

/**
 * An object that an option keeps for a request from its admission to its end, such as the
 * measurement of the request's duration. Either {@link #end} or {@link #cancel} is
 * called, once. The methods are called by one thread at a time.
 */
public interface InFlight {

	/**
	 * Continues as another caller, such as the user after authentication instead of the
	 * client address.
	 * @param caller the name of the user, or the client address if there is no user
	 */
	void continueAs(String caller);

	/**
	 * Called when an allowed request has ended.
	 * @param outcome the outcome of the request
	 */
	void end(RequestOutcome outcome);

	/**
	 * Called before the request ends, because it was rejected, is evaluated again, or
	 * waits for permits.
	 */
	void cancel();

	/**
	 * Begins again after {@link #cancel}, because the wait for permits has ended.
	 * @return the object that is kept from now on
	 */
	InFlight again();

	/**
	 * Whether this object and another one have the same purpose, so that a request keeps
	 * only one of them.
	 * @param other the other object
	 * @return whether both have the same purpose
	 */
	boolean isLike(InFlight other);

}
