package io.tierlimit.limit;

/**
 * A part of a charge, as an exact fraction: whole permits minus a fraction of one permit.
 *
 * @param permits whole permits, rounded up
 * @param lacking the fraction to subtract, in 1/period permits: 0 to period - 1
 */
record Remainder(long permits, long lacking) {

	static final Remainder NONE = new Remainder(0, 0);

	/** Subtracts permits, down to {@link #NONE}. */
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
