package io.tierlimit.benchmarks.shards;

import java.util.Random;
import java.util.concurrent.TimeUnit;

import io.tierlimit.limit.Limit;

/**
 * Sends requests to instances that share a limit, in virtual time. The same simulation
 * with the same seed has the same result. A call of the store takes no time, so the
 * decisions on simultaneous requests never overlap.
 *
 * @param limit a limit of {@value #PER_SECOND} requests per second
 * @param spreading how its bucket is spread
 * @param traffic the distribution of the requests
 * @param load the mean rate of the requests, divided by the rate of the limit
 */
record Simulation(Limit limit, Spreading spreading, Traffic traffic, double load) {

	static final int PER_SECOND = 1000;

	/** The time that is measured, in seconds. */
	static final int SECONDS = 60;

	/** The time before, in which twice the limit empties the initial burst. */
	private static final int WARM_UP_SECONDS = 5;

	private static final double PER_TICK = (double) PER_SECOND / TimeUnit.SECONDS.toMicros(1);

	Outcome run(long seed) {
		long[] now = new long[1];
		Random random = new Random(seed);
		SharedLimit shared = this.spreading.share(this.limit, this.traffic.instances(), () -> now[0], random);
		// Every spreading has the same requests.
		Arrivals arrivals = new Arrivals(this.traffic, new Random(~seed));
		long begin = TimeUnit.SECONDS.toMicros(WARM_UP_SECONDS);
		long end = begin + TimeUnit.SECONDS.toMicros(SECONDS);
		Outcome outcome = new Outcome(this.traffic.instances());
		while (now[0] < end) {
			boolean measured = now[0] >= begin;
			int instance = arrivals.instance();
			boolean admitted = shared.admits(instance);
			if (measured) {
				outcome.count(instance, admitted);
			}
			now[0] = arrivals.next(measured ? this.load * PER_TICK : 2 * PER_TICK);
		}
		return outcome;
	}

}
