package io.tierlimit.store;

/**
 * Is notified of the calls to a shared store.
 */
public interface StoreListener {

	/** Does nothing. */
	StoreListener NONE = new StoreListener() {
	};

	/**
	 * Called after each call that acquires, refunds, peeks or resets.
	 * @param outcome the outcome of the call
	 * @param nanos the time that the caller has waited, in nanoseconds
	 */
	default void onCall(CallOutcome outcome, long nanos) {
	}

	/**
	 * Called when a request was rejected without a call to the store, because of a
	 * rejection by the store less than a second ago.
	 */
	default void onCachedRejection() {
	}

	/**
	 * Called when a request of this instance still runs, but the store no longer has its
	 * holder: the holder was not renewed in time, an operator has released it, or the
	 * store has lost its data. Other requests can acquire the permits.
	 * @param rule the id of the rule
	 */
	default void onLostHolder(String rule) {
	}

	/**
	 * The outcome of a call.
	 */
	enum CallOutcome {

		/** The store has replied. */
		ANSWERED,

		/** The store has not replied in time, or with an error. */
		FAILED,

		/**
		 * The store was not called, because it has failed too often, or because too many
		 * calls whose reply is not awaited are in progress.
		 */
		SKIPPED

	}

}
