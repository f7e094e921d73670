package io.tierlimit.actuate;

import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;

/**
 * A request that an operation of an endpoint does not accept.
 */
final class InvalidRequestException extends InvalidEndpointRequestException {

	private static final long serialVersionUID = 1L;

	/**
	 * Creates an exception.
	 * @param reason the problem, for the response
	 */
	InvalidRequestException(String reason) {
		super(reason, reason);
	}

}
