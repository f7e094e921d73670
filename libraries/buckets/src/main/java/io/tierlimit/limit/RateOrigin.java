package io.tierlimit.limit;

/**
 * The algorithm and the rate that have written numbers. A record of its own, because a
 * {@link Rate} has neither the 0 permits of a full bucket nor every number that can be
 * read.
 *
 * @param algorithm the algorithm
 * @param period the rate's period in ticks
 * @param permits the rate's permits; 0 before the first charge
 */
record RateOrigin(Algorithm algorithm, long period, long permits) implements Origin {

	/** The origin of a new bucket: no algorithm has written any number. */
	static final RateOrigin NEW = full(Algorithm.TOKEN_BUCKET);

	/** The origin of a bucket that is full under any limit. */
	static RateOrigin full(Algorithm algorithm) {
		return new RateOrigin(algorithm, 1, 0);
	}

}
