package io.tierlimit.benchmarks;

/**
 * The numbers of responses by status.
 *
 * @param admitted responses with 200
 * @param rejected responses with 429
 * @param other all other responses
 */
record Counts(long admitted, long rejected, long other) {

	static final Counts NONE = new Counts(0, 0, 0);

	Counts plus(int status) {
		return switch (status) {
			case 200 -> new Counts(this.admitted + 1, this.rejected, this.other);
			case 429 -> new Counts(this.admitted, this.rejected + 1, this.other);
			default -> new Counts(this.admitted, this.rejected, this.other + 1);
		};
	}

	Counts plus(Counts more) {
		return new Counts(this.admitted + more.admitted, this.rejected + more.rejected, this.other + more.other);
	}

	long total() {
		return this.admitted + this.rejected + this.other;
	}

}
