package io.tierlimit.rule;

import java.util.Set;

/**
 * How a web request has ended.
 *
 * @param status the response's status
 * @param authentications what became of authentications within it; empty if nobody tried
 * @param clientLeft whether the client has gone before the end, so that the status is
 * nobody's answer
 */
public record Ending(int status, Set<AuthenticationResult> authentications, boolean clientLeft) {

	/**
	 * Creates an ending.
	 */
	public Ending {
		authentications = Set.copyOf(authentications);
	}

}
