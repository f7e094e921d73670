package io.tierlimit.explorer.settlement;

/**
 * A call of a request to the store.
 *
 * @param operation what the store does
 * @param permits the number of permits, 1 or more
 */
public record SettlementCall(Operation operation, int permits) {

	@Override
	public String toString() {
		return this.operation + " " + this.permits;
	}

	/**
	 * What the store does.
	 */
	public enum Operation {

		/** Acquires the estimate. */
		ACQUIRE,
		/** Consumes permits in addition to the estimate. */
		CONSUME,
		/** Returns permits of the estimate. */
		RETURN

	}

}
