package io.tierlimit;

/**
 * The outcome of a request under one rule. Another rule may have rejected the same
 * request: outcomes are counted for each rule.
 */
public enum RuleOutcome {

	/** The rule allows the request. */
	ALLOWED,

	/** The rule allows the request after it has waited for its permits. */
	DELAYED,

	/** The rule rejects the request; other rules may also reject it. */
	REJECTED,

	/** The rule would reject the request if it were enforced for its key. */
	SHADOW_REJECTED,

	/** The store could not be reached, and the rule allows requests in this case. */
	STORE_ALLOWED,

	/** The store could not be reached, and the rule rejects requests in this case. */
	STORE_DENIED,

	/**
	 * The store could not be reached, and a bucket of this instance allows the request.
	 * If that bucket rejects the request, the outcome is {@link #REJECTED} or
	 * {@link #SHADOW_REJECTED}.
	 */
	STORE_LOCAL

}
