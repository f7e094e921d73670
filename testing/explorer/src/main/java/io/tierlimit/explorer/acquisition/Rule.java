package io.tierlimit.explorer.acquisition;

/**
 * A rule of the protocol. Without any one of them, an invariant is violated.
 */
public enum Rule {

	/** A request that one slot rejects refunds the others. */
	UNDO_AFTER_REJECTION,

	/** A request without a reply of one slot refunds the slots that have replied. */
	UNDO_AFTER_TIMEOUT,

	/** A charge is refunded at most once. */
	UNDO_ONCE,

	/** A refund adds nothing if the bucket has been full since the charge. */
	UNDO_WHAT_IS_MISSING,

	/** A request that may have blocked another one tries again. */
	RETRY,

	/** It first refunds its charges, and then looks whether the other one did. */
	UNDO_BEFORE_LOOKING,

	/** It tries again slot by slot. */
	RETRY_IN_ORDER

}
