package io.tierlimit.web;

import io.tierlimit.Verdict;

import org.springframework.http.HttpStatus;

/**
 * The status of the response to a request that may not go on.
 */
final class RejectionStatus {

	private RejectionStatus() {
	}

	/**
	 * Finds the status.
	 * @param verdict a verdict that doesn't allow the request
	 * @return 429 for a violated limit, 403 for an anonymous caller of what is not for
	 * such, 400 for a client-supplied value that is not valid, 503 if the limits can't be
	 * looked up
	 */
	static HttpStatus of(Verdict verdict) {
		return switch (verdict.outcome()) {
			case DENIED -> HttpStatus.FORBIDDEN;
			case INVALID -> HttpStatus.BAD_REQUEST;
			case UNAVAILABLE -> HttpStatus.SERVICE_UNAVAILABLE;
			default -> HttpStatus.TOO_MANY_REQUESTS;
		};
	}

}
