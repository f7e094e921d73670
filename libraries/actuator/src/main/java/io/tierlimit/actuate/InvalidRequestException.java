package io.tierlimit.actuate;

import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;

/**
 * A request that an operation of an endpoint does not accept.
 */
final class InvalidRequestException extends InvalidEndpointRequestException {

	private static final long serialVersionUID = 1L;

	/**
	 * Creates an exception.
	 * @param reason what is wrong, for the client
	 */
	InvalidRequestException(String reason) {
		super(reason, reason);
	}

}
