package io.tierlimit.limit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * The requests of all plots: eight minutes in which algorithms of the same rate differ.
 * The requests are the same in every run and on every machine.
 */
final class PlottedTraffic {

	static final Duration LENGTH = Duration.ofMinutes(8);

	static final List<Phase> PHASES = List.of(phase("6 a minute", 0, 100, 10), phase("24 in 20 s", 110, 130, 24),
			phase("20 at once", 270, 270, 20), phase("30 a minute", 340, 480, 70));

	private PlottedTraffic() {
	}

	/** The times of the requests in ticks, in ascending order. */
	static List<Long> moments() {
		Random random = new Random(7);
		List<Long> moments = new ArrayList<>();
		for (Phase phase : PHASES) {
			long from = phase.from().toMillis();
			int length = (int) phase.to().minus(phase.from()).toMillis();
			for (int i = 0; i < phase.requests(); i++) {
				moments.add((from + ((length > 0) ? random.nextInt(length) : 0)) * 1000);
			}
		}
		moments.sort(null);
		return moments;
	}

	private static Phase phase(String label, int from, int to, int requests) {
		return new Phase(label, Duration.ofSeconds(from), Duration.ofSeconds(to), requests);
	}

	/**
	 * A part of the traffic, with requests at random times.
	 *
	 * @param label the description of the requests
	 * @param from the earliest time of a request
	 * @param to the end of the part; {@code from} if all requests have the same time
	 * @param requests the number of requests
	 */
	record Phase(String label, Duration from, Duration to, int requests) {

	}

}
