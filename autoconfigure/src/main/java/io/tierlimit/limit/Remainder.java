package io.tierlimit.limit;

/**
 * A part of a charge, as an exact fraction: whole permits less a fraction of one permit.
 *
 * @param permits whole permits, rounded up
 * @param lacking how much less it is, in 1/period permits: 0 to period - 1
 */
record Remainder(long permits, long lacking) {

	static final Remainder NONE = new Remainder(0, 0);

	/** Nothing if it would be negative. */
	Remainder less(long fewer) {
		return (this.permits > fewer) ? new Remainder(this.permits - fewer, this.lacking) : NONE;
	}

	Remainder atMost(long most) {
		return (this.permits > most) ? new Remainder(most, 0) : this;
	}

	Remainder or(Remainder other) {
		boolean larger = this.permits > other.permits
				|| (this.permits == other.permits && this.lacking < other.lacking);
		return larger ? this : other;
	}

}
