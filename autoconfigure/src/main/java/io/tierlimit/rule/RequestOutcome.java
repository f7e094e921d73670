package io.tierlimit.rule;

import java.util.Set;

/**
 * The outcome of a web request: what settles its conditional charges.
 *
 * @param status the response's status as the client saw it
 * @param authenticationFailed whether an authentication has failed within the request
 * @param authenticated the accounts that have authenticated within the request; empty if
 * none has
 * @param failed whether the request has ended with an exception, whatever its status
 * @param statusHidden whether the status may not show what happened: the client has gone,
 * or did not accept the answer, or an exception has come before it
 * @param preflight whether it was allowed as a CORS preflight, without credentials
 */
public record RequestOutcome(int status, boolean authenticationFailed, Set<Account> authenticated, boolean failed,
		boolean statusHidden, boolean preflight) {

	/**
	 * Creates an outcome.
	 */
	public RequestOutcome {
		authenticated = Set.copyOf(authenticated);
	}

	/**
	 * Creates the outcome of a request that was answered, within which nobody has tried
	 * to authenticate.
	 * @param status the response's status
	 * @return the outcome
	 */
	public static RequestOutcome answered(int status) {
		return new RequestOutcome(status, false, Set.of(), false, false, false);
	}

}
