package io.tierlimit.rule;

import java.util.Set;

/**
 * The outcome of a web request, by which its conditional charges are settled.
 *
 * @param status the status that the client has received
 * @param authenticationFailed whether an authentication has failed within the request
 * @param authenticated the accounts that have authenticated within the request; empty if
 * none has
 * @param failed whether the request has ended with an exception, whatever its status
 * @param statusHidden whether the status may not show the result: the client has
 * disconnected, or did not accept the response, or there was an exception before it
 * @param preflight whether the request was allowed as a CORS preflight, without
 * credentials
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
	 * Creates the outcome of a completed request without any authentication.
	 * @param status the response's status
	 * @return the outcome
	 */
	public static RequestOutcome answered(int status) {
		return new RequestOutcome(status, false, Set.of(), false, false, false);
	}

}
