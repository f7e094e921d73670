package io.tierlimit.benchmarks;

import java.util.Locale;

/**
 * The result of a load.
 *
 * @param threads the number of threads that sent requests
 * @param counts the responses
 * @param nanos the time from before the first request until after the last response
 */
record Result(int threads, Counts counts, long nanos) {

	private static final double LEAST = 0.97;

	/**
	 * Prints the result. Returns whether the number of admitted requests is within the
	 * bound, and nearly as high as the bound.
	 */
	boolean print(long rate, long burst) {
		double seconds = this.nanos / 1e9;
		double bound = burst + rate * seconds;
		double ratio = this.counts.admitted() / bound;
		System.out.printf(Locale.ROOT, "%d threads, %.3f s, %d requests, %.0f a second%n", this.threads, seconds,
				this.counts.total(), this.counts.total() / seconds);
		System.out.printf(Locale.ROOT, "200: %d, 429: %d, other: %d%n", this.counts.admitted(), this.counts.rejected(),
				this.counts.other());
		System.out.printf(Locale.ROOT, "admitted %d of at most %d + %d x %.3f = %.1f: %.2f%%%n", this.counts.admitted(),
				burst, rate, seconds, bound, 100 * ratio);
		boolean within = this.counts.other() == 0 && ratio <= 1 && ratio >= LEAST;
		System.out.println(
				within ? "Within the bound, and at least 97% of it." : "Outside of the bound, or less than 97% of it.");
		return within;
	}

}
