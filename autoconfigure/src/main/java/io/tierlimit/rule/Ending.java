package io.tierlimit.rule;

import java.util.Set;

/**
 * How a web request has ended.
 *
 * @param status the response's status as the client saw it
 * @param authenticationFailed whether an authentication has failed within the request
 * @param authenticated the accounts that have authenticated within the request; empty if
 * none has
 * @param failed whether the request has ended with an exception, whatever its status
 * @param statusHidden whether the status may not show what happened: the client has gone,
 * or did not accept the answer, or an exception has come before it
 */
public record Ending(int status, boolean authenticationFailed, Set<Account> authenticated, boolean failed,
		boolean statusHidden) {

	/**
	 * Creates an ending.
	 */
	public Ending {
		authenticated = Set.copyOf(authenticated);
	}

	/**
	 * Creates the ending of a request that was answered and within which nobody has tried
	 * to authenticate.
	 * @param status the response's status
	 * @return the ending
	 */
	public static Ending answered(int status) {
		return new Ending(status, false, Set.of(), false, false);
	}

}
