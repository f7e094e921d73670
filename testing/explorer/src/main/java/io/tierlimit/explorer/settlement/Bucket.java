package io.tierlimit.explorer.settlement;

import org.jspecify.annotations.Nullable;

/**
 * A token bucket that earns one permit per tick.
 *
 * @param consumed the consumed permits, and beyond the capacity the debt
 * @param charged the permits that all charges have consumed since {@code countedFrom}
 * @param countedFrom the time from which charges are counted
 */
record Bucket(int consumed, int charged, int countedFrom) {

	static final Bucket FULL = new Bucket(0, 0, 0);

	Bucket tick() {
		return new Bucket(Math.max(0, this.consumed - 1), this.charged, this.countedFrom);
	}

	Bucket consume(int permits, int now) {
		boolean restarts = this.consumed == 0 && now > this.countedFrom;
		return new Bucket(this.consumed + permits, (restarts ? 0 : this.charged) + permits,
				restarts ? now : this.countedFrom);
	}

	Bucket add(int permits) {
		return new Bucket(this.consumed - permits, this.charged, this.countedFrom);
	}

	/** The permits that a refund adds, as {@code ReservableLimit} calculates them. */
	int refund(int cost, @Nullable Receipt receipt, int capacity, int now) {
		int debt = Math.max(0, this.consumed - capacity);
		if (receipt == null) {
			return Math.min(this.consumed, Math.max(0, cost - debt));
		}
		if (receipt.at() < this.countedFrom) {
			return 0;
		}
		int later = this.charged - receipt.charged();
		if (later == 0) {
			return Math.min(this.consumed, cost);
		}
		int missing = Math.min(Math.min(this.consumed, capacity) - later, cost);
		int notRefilled = cost - (now - receipt.at()) - Math.min(later, debt);
		return Math.max(0, Math.max(missing, notRefilled));
	}

	/**
	 * What a refund needs.
	 *
	 * @param at the time of the acquisition
	 * @param charged the permits that all charges had consumed then
	 */
	record Receipt(int at, int charged) {

	}

}
