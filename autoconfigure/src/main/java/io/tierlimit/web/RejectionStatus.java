package io.tierlimit.web;

import io.tierlimit.Verdict;

import org.springframework.http.HttpStatus;

/**
 * Maps the verdict on a rejected request to an HTTP status.
 */
final class RejectionStatus {

	private RejectionStatus() {
	}

	/**
	 * Returns the status.
	 * @param verdict a verdict that does not allow the request
	 * @return 429 for a violated limit, 403 for an anonymous caller if the rule denies
	 * them, 400 for an invalid client-supplied value, 503 if the limits cannot be looked
	 * up
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
