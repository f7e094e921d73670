package io.tierlimit.benchmarks.shards;

import java.util.Random;

/**
 * How requests are distributed over time and over instances.
 *
 * @param instances the number of instances
 * @param skewed whether the first instance receives 70% of the requests, and the load
 * alternates between 1.5 times and 0.5 times its mean every 100 ms
 */
record Traffic(int instances, boolean skewed) {

	private static final double SHARE = 0.7;

	private static final double PHASE_TICKS = 100_000;

	private static final double PEAK = 1.5;

	private static final double TROUGH = 0.5;

	/** The factor of the load that is never exceeded. */
	double peak() {
		return this.skewed ? PEAK : 1;
	}

	/** The factor of the load at a time in ticks. */
	double factor(double time) {
		if (!this.skewed) {
			return 1;
		}
		return ((long) (time / PHASE_TICKS) % 2 == 0) ? PEAK : TROUGH;
	}

	/** The instance of the next request. */
	int instance(Random random) {
		if (!this.skewed) {
			return random.nextInt(this.instances);
		}
		return (random.nextDouble() < SHARE) ? 0 : 1 + random.nextInt(this.instances - 1);
	}

	@Override
	public String toString() {
		return ((this.instances == 1) ? "One instance" : this.instances + " instances")
				+ (this.skewed ? ", skewed" : "");
	}

}
