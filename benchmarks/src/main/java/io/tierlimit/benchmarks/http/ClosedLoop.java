package io.tierlimit.benchmarks.http;

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
 * A constant number of connections, each of which sends its next request as soon as its
 * last response is complete.
 */
final class ClosedLoop {

	private static final int CONNECTIONS = 8;

	private static final int USERS = 1000;

	private final byte[][] requests = new byte[USERS][];

	ClosedLoop() {
		for (int user = 0; user < USERS; user++) {
			this.requests[user] = Connection.get("/hello", "user-" + user);
		}
	}

	/** Sends a single request; returns the status. */
	int sendOne(int port) throws IOException {
		try (Connection connection = new Connection(port)) {
			return connection.send(this.requests[0]);
		}
	}

	/**
	 * Sends requests, and checks that each response has the expected status.
	 * @return the times from request to response, in nanoseconds
	 * @throws IllegalStateException if a response has another status
	 */
	Histogram run(int port, int status, Duration duration)
			throws IOException, InterruptedException, ExecutionException {
		ExecutorService threads = Executors.newFixedThreadPool(CONNECTIONS);
		try {
			long end = System.nanoTime() + duration.toNanos();
			List<Callable<Histogram>> clients = new ArrayList<>();
			for (int i = 0; i < CONNECTIONS; i++) {
				int first = i * USERS / CONNECTIONS;
				clients.add(() -> send(port, status, first, end));
			}
			Histogram all = histogram();
			for (Future<Histogram> client : threads.invokeAll(clients)) {
				all.add(client.get());
			}
			return all;
		}
		finally {
			threads.shutdownNow();
		}
	}

	private Histogram send(int port, int status, int first, long end) throws IOException {
		Histogram times = histogram();
		try (Connection connection = new Connection(port)) {
			long now = System.nanoTime();
			for (int i = first; now < end; i++) {
				int received = connection.send(this.requests[i % USERS]);
				if (received != status) {
					throw new IllegalStateException("The status must be " + status + " (was " + received + ").");
				}
				long begin = now;
				now = System.nanoTime();
				times.recordValue(now - begin);
			}
		}
		return times;
	}

	private static Histogram histogram() {
		return new Histogram(3);
	}

}
