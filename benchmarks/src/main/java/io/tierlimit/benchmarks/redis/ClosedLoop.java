package io.tierlimit.benchmarks.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;

import org.HdrHistogram.Histogram;

/**
 * Threads that each check the next request as soon as the previous one is decided.
 */
final class ClosedLoop {

	private static final int DIGITS = 3;

	private ClosedLoop() {
	}

	/**
	 * Runs a load.
	 * @param subject checks the requests
	 * @param threads the number of threads
	 * @param callers the number of callers, of which each request has a random one
	 * @param duration the time after which no further request starts
	 * @return the times of all requests, in nanoseconds
	 */
	static Histogram run(Subject subject, int threads, int callers, Duration duration)
			throws InterruptedException, ExecutionException {
		ExecutorService pool = Executors.newFixedThreadPool(threads);
		try {
			long end = System.nanoTime() + duration.toNanos();
			List<Future<Histogram>> loops = new ArrayList<>();
			for (int i = 0; i < threads; i++) {
				loops.add(pool.submit(() -> loop(subject, callers, end)));
			}
			Histogram all = new Histogram(DIGITS);
			for (Future<Histogram> loop : loops) {
				all.add(loop.get());
			}
			return all;
		}
		finally {
			pool.shutdownNow();
		}
	}

	private static Histogram loop(Subject subject, int callers, long end) throws Exception {
		Histogram times = new Histogram(DIGITS);
		ThreadLocalRandom random = ThreadLocalRandom.current();
		long start = System.nanoTime();
		while (start - end < 0) {
			subject.check(random.nextInt(callers));
			long now = System.nanoTime();
			times.recordValue(now - start);
			start = now;
		}
		return times;
	}

}
