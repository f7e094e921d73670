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
	 * Called when a request of this instance is in flight, but the store no longer has
	 * its holder: the permits were not renewed in time, reset, released by an operator,
	 * or lost with the data of the store. Other requests can acquire the permits.
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
