package io.tierlimit.replay;

/**
 * Thrown if a line of a log contains no request. The message is the reason.
 */
final class InvalidLineException extends Exception {

	private static final long serialVersionUID = 1L;

	InvalidLineException(String reason) {
		super(reason, null, false, false);
	}

}
