package io.tierlimit.store;

/**
 * Records whether a call to a shared store has failed for a request. After a failed call,
 * further calls for the same request, in any of its stages, do not wait for a reply. A
 * successful call never sets the flag, however long it takes. Thread-safe.
 */
public final class StoreFailureFlag {

	private volatile boolean set;

	/**
	 * Records that a call for the request has failed: further calls do not wait.
	 */
	public void set() {
		this.set = true;
	}

	/**
	 * Whether a call for the request has failed.
	 * @return whether the request continues without waiting for the store
	 */
	public boolean isSet() {
		return this.set;
	}

}
