package io.tierlimit.limit;

/**
 * The algorithm and the rate that last updated a bucket. It is not a {@link Rate},
 * because it may have 0 permits (a full bucket), or numbers from a store that are not
 * valid in a rate.
 *
 * @param algorithm the algorithm
 * @param period the rate's period in ticks
 * @param permits the rate's permits; 0 before the first charge
 */
record RateOrigin(Algorithm algorithm, long period, long permits) implements Origin {

	/** The origin of a new bucket, which no algorithm has updated. */
	static final RateOrigin NEW = full(Algorithm.TOKEN_BUCKET);

	/** The origin of a bucket that is full under any limit. */
	static RateOrigin full(Algorithm algorithm) {
		return new RateOrigin(algorithm, 1, 0);
	}

}
