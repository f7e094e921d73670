package io.tierlimit.explorer.settlement;

/**
 * A rule of the protocol. Without any one of them, an invariant is violated.
 */
public enum SettlementRule {

	/** A call consumes the difference to what was charged, not to the estimate. */
	SEND_THE_DIFFERENCE,

	/** A difference is charged when its call is sent, whatever happens to the call. */
	COUNT_WHEN_SENT,

	/** A call without a reply is not repeated. */
	NEVER_REPEAT,

	/** A request without a reply to its acquisition settles nothing. */
	SETTLE_WHAT_IS_CONFIRMED,

	/** A request has one settlement, with the first value that code has settled. */
	SETTLE_ONCE,

	/** A request that was refunded is not settled. */
	NOTHING_AFTER_REFUND,

	/** A request that has ended is not settled again. */
	NOTHING_AFTER_THE_END,

	/** The actual cost is never below what was metered. */
	KEEP_WHAT_IS_METERED,

	/** A refund returns the estimate, not what was metered beyond it. */
	REFUND_THE_ESTIMATE,

	/** A request with an unknown cost has the cost of its estimate. */
	UNKNOWN_KEEPS_THE_ESTIMATE,

	/** A settlement consumes permits only until the bucket owes the maximum debt. */
	BOUND_THE_DEBT,

	/** The receipt limits what is returned to what the bucket lacks. */
	RETURN_BY_RECEIPT

}
