package io.tierlimit.store;

/**
 * Is told how a store that instances share is called.
 */
public interface StoreListener {

	/** Listens to nothing. */
	StoreListener NONE = new StoreListener() {

		@Override
		public void called(CallOutcome outcome, long nanos) {
		}

		@Override
		public void onCachedRejection() {
		}

	};

	/**
	 * Is called after the store was asked to take, refund, show or reset.
	 * @param outcome what became of it
	 * @param nanos how long the caller has waited
	 */
	void called(CallOutcome outcome, long nanos);

	/**
	 * Is called when a request was rejected without a call, by what the store has said
	 * less than a second ago.
	 */
	void onCachedRejection();

	/**
	 * What becomes of a call.
	 */
	enum CallOutcome {

		/** The store has answered. */
		ANSWERED,

		/** The store has not answered in time, or with an error. */
		FAILED,

		/**
		 * The store was not called: it has failed too often, or too many calls that no
		 * request waits for are under way.
		 */
		SKIPPED

	}

}
