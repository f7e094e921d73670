package io.tierlimit.rule;

import java.util.Set;

/**
 * The outcome of a web request. Conditional charges are settled by it.
 *
 * @param status the status of the response
 * @param authenticationFailed whether an authentication has failed within the request
 * @param authenticated the accounts that have authenticated within the request; empty if
 * there are none
 * @param failed whether the request has ended with an exception, whatever its status
 * @param statusHidden whether the status may hide the result: the client has
 * disconnected, the response cannot be written in a type that the client accepts, the
 * request has ended with an exception before the response was committed, or it has timed
 * out after that
 * @param preflight whether Spring MVC or a CORS filter has allowed the request as a
 * preflight, without any authentication
 * @param serverFailed whether the server has failed to serve the request, for a reason
 * other than the client: its disconnection, or a method or type that is not supported
 * @param unmapped whether Spring MVC has served the request without a path pattern: a
 * static file, or a response of its own to OPTIONS. No rule names such a handler
 */
public record RequestOutcome(int status, boolean authenticationFailed, Set<Account> authenticated, boolean failed,
		boolean statusHidden, boolean preflight, boolean serverFailed, boolean unmapped) {

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
		return new RequestOutcome(status, false, Set.of(), false, false, false, isServerError(status), false);
	}

	/**
	 * Whether a status reports a failure of the server. A method or a version of HTTP
	 * that is not supported is the choice of the client.
	 * @param status the response's status
	 * @return whether it is from 500 to 599, except for 501 and 505
	 */
	public static boolean isServerError(int status) {
		return status >= 500 && status <= 599 && status != 501 && status != 505;
	}

}
