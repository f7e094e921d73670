package io.tierlimit.explorer.acquisition;

/**
 * The last call of a request to a slot.
 *
 * @param operation what the slot does
 * @param progress how far the call is
 * @param allowed whether the slot had a permit
 * @param last whether it was the last permit
 */
record Call(Operation operation, Progress progress, boolean allowed, boolean last) {

	static final Call NONE = new Call(Operation.NONE, Progress.SEEN, false, false);

	static Call of(Operation operation) {
		return new Call(operation, Progress.SENT, false, false);
	}

	boolean isOpen() {
		return this.progress == Progress.SENT || this.progress == Progress.EXECUTED;
	}

	Call executed(int permits) {
		return (this.operation == Operation.UNDO) ? as(Progress.EXECUTED)
				: new Call(this.operation, Progress.EXECUTED, permits > 0, permits == 1);
	}

	Call as(Progress next) {
		return new Call(this.operation, next, this.allowed, this.last);
	}

	enum Operation {

		NONE, ACQUIRE, UNDO, LOOK

	}

	enum Progress {

		SENT, EXECUTED,
		/** The request has the reply. */
		SEEN,
		/** The request no longer waits for the reply. */
		GIVEN_UP

	}

}
