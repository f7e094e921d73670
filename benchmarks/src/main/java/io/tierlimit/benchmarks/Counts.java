package io.tierlimit.benchmarks;

/**
 * How many requests were answered how.
 *
 * @param admitted with 200
 * @param refused with 429
 * @param other with anything else
 */
record Counts(long admitted, long refused, long other) {

	static final Counts NONE = new Counts(0, 0, 0);

	Counts plus(int status) {
		return switch (status) {
			case 200 -> new Counts(this.admitted + 1, this.refused, this.other);
			case 429 -> new Counts(this.admitted, this.refused + 1, this.other);
			default -> new Counts(this.admitted, this.refused, this.other + 1);
		};
	}

	Counts plus(Counts more) {
		return new Counts(this.admitted + more.admitted, this.refused + more.refused, this.other + more.other);
	}

	long total() {
		return this.admitted + this.refused + this.other;
	}

}
