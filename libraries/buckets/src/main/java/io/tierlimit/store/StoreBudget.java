package io.tierlimit.store;

/**
 * Whether a request may still wait for a shared store, over all its stages and calls. One
 * failed call exhausts the budget; successful calls never do, however long they take.
 * Safe for use by several threads.
 */
public final class StoreBudget {

	private volatile boolean over;

	/**
	 * Records that a call of the request has failed: the request does not wait again.
	 */
	public void exhaust() {
		this.over = true;
	}

	/**
	 * Whether a call of the request has failed.
	 * @return whether the request continues without waiting for the store
	 */
	public boolean isExhausted() {
		return this.over;
	}

}
