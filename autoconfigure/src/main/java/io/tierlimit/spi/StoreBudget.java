package io.tierlimit.spi;

/**
 * Whether a request still waits for a shared store, over all its stages and calls. One
 * call that fails ends that; calls that succeed never do, however long they take. Safe
 * for several threads.
 */
public final class StoreBudget {

	private volatile boolean over;

	/**
	 * Records that the request has waited for a call that failed: it does not wait again.
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
