package io.tierlimit.benchmarks.shards;

import java.util.Random;

/**
 * The times of requests: a Poisson process, whose rate follows the traffic. Requests at
 * the peak rate are drawn, and the requests above the current rate are left out.
 */
final class Arrivals {

	private final Traffic traffic;

	private final Random random;

	/** The time of the last request, in ticks. */
	private double time;

	Arrivals(Traffic traffic, Random random) {
		this.traffic = traffic;
		this.random = random;
	}

	/**
	 * Returns the time of the next request.
	 * @param perTick the mean number of requests per tick
	 * @return the time in ticks
	 */
	long next(double perTick) {
		double peak = this.traffic.peak();
		do {
			this.time -= Math.log(1 - this.random.nextDouble()) / (perTick * peak);
		}
		while (this.random.nextDouble() * peak >= this.traffic.factor(this.time));
		return (long) this.time;
	}

	/** The instance of this request. */
	int instance() {
		return this.traffic.instance(this.random);
	}

}
