package io.tierlimit.store;

/**
 * How long one request has waited for a shared store so far, over all its stages, and
 * whether in vain. Used by one thread at a time.
 */
public final class Waits {

	private long nanos;

	private boolean inVain;

	/**
	 * Notes a wait.
	 * @param waited how long, in nanoseconds
	 */
	public void add(long waited) {
		this.nanos += waited;
	}

	/**
	 * All waits so far.
	 * @return nanoseconds
	 */
	public long nanos() {
		return this.nanos;
	}

	/**
	 * Notes that the store did not answer: the request is not to ask it again.
	 */
	public void noteFailure() {
		this.inVain = true;
	}

	/**
	 * Whether the store failed to answer this request before.
	 * @return whether to do without it
	 */
	public boolean areInVain() {
		return this.inVain;
	}

}
