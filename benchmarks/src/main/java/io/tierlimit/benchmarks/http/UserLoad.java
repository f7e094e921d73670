package io.tierlimit.benchmarks.http;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.ExecutionException;

import io.tierlimit.benchmarks.ClosedLoop;
import org.HdrHistogram.Histogram;

/**
 * A closed loop of requests over a constant number of connections, with the names of
 * users in turn.
 */
final class UserLoad {

	private static final int CONNECTIONS = 8;

	private static final int USERS = 1000;

	private final byte[][] requests = new byte[USERS][];

	UserLoad() {
		for (int user = 0; user < USERS; user++) {
			this.requests[user] = Connection.get("/hello", "user-" + user);
		}
	}

	/** Sends a single request, and returns the status. */
	int sendOne(int port) throws IOException {
		try (Connection connection = new Connection(port)) {
			return connection.send(this.requests[0]);
		}
	}

	/**
	 * Sends requests, and checks that each response has the expected status.
	 * @return the times from request to response, in nanoseconds
	 * @throws ExecutionException if a response has another status
	 */
	Histogram run(int port, int status, Duration duration) throws InterruptedException, ExecutionException {
		return ClosedLoop.run(CONNECTIONS, duration,
				(thread) -> new User(new Connection(port), status, thread * USERS / CONNECTIONS));
	}

	/**
	 * One connection.
	 */
	private final class User implements ClosedLoop.Client {

		private final Connection connection;

		private final int status;

		private int next;

		private User(Connection connection, int status, int first) {
			this.connection = connection;
			this.status = status;
			this.next = first;
		}

		@Override
		public void send() throws IOException {
			int received = this.connection.send(UserLoad.this.requests[this.next++ % USERS]);
			if (received != this.status) {
				throw new IllegalStateException("The status must be " + this.status + " (was " + received + ").");
			}
		}

		@Override
		public void close() throws IOException {
			this.connection.close();
		}

	}

}
