package io.tierlimit.store;

/**
 * Whether a call of a request to a shared store has failed. If so, no further call of the
 * request, in any of its stages, waits for a reply. A successful call never sets the
 * flag, however long it takes. Thread-safe.
 */
public final class StoreFailureFlag {

	private volatile boolean set;

	/**
	 * Records that a call of the request has failed: the request does not wait again.
	 */
	public void set() {
		this.set = true;
	}

	/**
	 * Whether a call of the request has failed.
	 * @return whether the request continues without waiting for the store
	 */
	public boolean isSet() {
		return this.set;
	}

}
