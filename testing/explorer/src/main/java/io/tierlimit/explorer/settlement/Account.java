package io.tierlimit.explorer.settlement;

/**
 * What the bucket has really done for a request, and what the request expects.
 *
 * @param due the permits that the request has to consume, once it has ended
 * @param consumed the permits that it has consumed and that were not returned
 * @param dropped the permits that it should have consumed, but that exceed the debt or
 * were in a lost call
 * @param lapsed the permits that were not returned, because the bucket does not lack them
 * or owes them, or that were in a lost call
 */
record Account(int due, int consumed, int dropped, int lapsed) {

	static final Account NONE = new Account(0, 0, 0, 0);

	Account due(int permits) {
		return new Account(permits, this.consumed, this.dropped, this.lapsed);
	}

	Account consume(int permits) {
		return new Account(this.due, this.consumed + permits, this.dropped, this.lapsed);
	}

	Account drop(int permits) {
		return new Account(this.due, this.consumed, this.dropped + permits, this.lapsed);
	}

	Account lapse(int permits) {
		return new Account(this.due, this.consumed, this.dropped, this.lapsed + permits);
	}

	boolean isBalanced() {
		return this.consumed == this.due - this.dropped + this.lapsed;
	}

}
