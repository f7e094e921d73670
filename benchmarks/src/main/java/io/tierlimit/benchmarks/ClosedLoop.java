package io.tierlimit.benchmarks;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import org.HdrHistogram.Histogram;

/**
 * Threads that each send the next request as soon as the previous one is complete.
 */
public final class ClosedLoop {

	private static final int DIGITS = 3;

	private ClosedLoop() {
	}

	/**
	 * Runs a load.
	 * @param threads the number of threads
	 * @param duration the time after which no further request starts
	 * @param clients opens the client of a thread
	 * @return the times of all requests, in nanoseconds
	 * @throws InterruptedException if this thread is interrupted
	 * @throws ExecutionException if a request fails
	 */
	public static Histogram run(int threads, Duration duration, Clients clients)
			throws InterruptedException, ExecutionException {
		ExecutorService pool = Executors.newFixedThreadPool(threads);
		try {
			long end = System.nanoTime() + duration.toNanos();
			List<Callable<Histogram>> loops = new ArrayList<>();
			for (int i = 0; i < threads; i++) {
				int thread = i;
				loops.add(() -> run(thread, end, clients));
			}
			Histogram all = new Histogram(DIGITS);
			for (Future<Histogram> loop : pool.invokeAll(loops)) {
				all.add(loop.get());
			}
			return all;
		}
		finally {
			pool.shutdownNow();
		}
	}

	private static Histogram run(int thread, long end, Clients clients) throws Exception {
		Histogram times = new Histogram(DIGITS);
		try (Client client = clients.open(thread)) {
			long start = System.nanoTime();
			while (start - end < 0) {
				client.send();
				long now = System.nanoTime();
				times.recordValue(now - start);
				start = now;
			}
		}
		return times;
	}

	/**
	 * Opens clients.
	 */
	@FunctionalInterface
	public interface Clients {

		/**
		 * Opens a client.
		 * @param thread the number of its thread, 0 or more
		 * @return the client, which is closed at the end
		 * @throws Exception if the client cannot be opened
		 */
		Client open(int thread) throws Exception;

	}

	/**
	 * Sends the requests of one thread.
	 */
	@FunctionalInterface
	public interface Client extends AutoCloseable {

		/**
		 * Sends a request, and waits for the response.
		 * @throws Exception if the request fails
		 */
		void send() throws Exception;

		@Override
		default void close() throws IOException {
		}

	}

}
