package io.tierlimit.web.header;

import io.tierlimit.Verdict;

/**
 * Why a request is rejected: status, problem type and detail.
 */
public enum RejectionReason {

	/** A rule requires a key that the caller lacks. */
	DENIED(403, "about:blank", "The request needs an authenticated caller."),

	/** A client-supplied value is not valid. */
	INVALID(400, "about:blank", "A value that a rate limit needs is not valid."),

	/** The store cannot be reached, and a rule rejects requests in this case. */
	UNAVAILABLE(503, RejectionReason.PROBLEM_TYPES + "temporary-reduced-capacity",
			"The limits of this request cannot be looked up."),

	/** An override blocks the caller. */
	BLOCKED(429, RejectionReason.PROBLEM_TYPES + "abnormal-usage-detected", "The caller is blocked."),

	/** The caller is banned. */
	BANNED(429, RejectionReason.PROBLEM_TYPES + "abnormal-usage-detected",
			"The caller is banned for a time after too many rejected requests."),

	/** A rule is violated. */
	OVER_LIMIT(429, RejectionReason.PROBLEM_TYPES + "quota-exceeded", "The request is over its rate limit.");

	private static final String PROBLEM_TYPES = "https://iana.org/assignments/http-problem-types#";

	private final int status;

	private final String problemType;

	private final String detail;

	RejectionReason(int status, String problemType, String detail) {
		this.status = status;
		this.problemType = problemType;
		this.detail = detail;
	}

	/**
	 * Returns the reason of a rejection.
	 * @param verdict a verdict that does not allow the request
	 * @return the reason
	 */
	public static RejectionReason of(Verdict verdict) {
		return switch (verdict.outcome()) {
			case DENIED -> DENIED;
			case INVALID -> INVALID;
			case UNAVAILABLE -> UNAVAILABLE;
			default -> verdict.blocked() ? BLOCKED : verdict.banned() ? BANNED : OVER_LIMIT;
		};
	}

	/**
	 * The HTTP status.
	 * @return 429 for a violated limit, a block or a ban; otherwise 403, 400 or 503
	 */
	public int status() {
		return this.status;
	}

	/**
	 * The type in problem details.
	 * @return a type that IANA has registered, or {@code about:blank}
	 */
	public String problemType() {
		return this.problemType;
	}

	/**
	 * The reason in plain words.
	 * @return one sentence
	 */
	public String detail() {
		return this.detail;
	}

}
