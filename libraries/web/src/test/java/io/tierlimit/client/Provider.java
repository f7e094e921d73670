package io.tierlimit.client;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.tierlimit.store.Ticker;

/**
 * An HTTP server that enforces its own limit: 100 requests a minute.
 */
final class Provider implements AutoCloseable {

	static final int LIMIT = 100;

	static final long MINUTE = 60_000_000;

	private final ExecutorService threads = Executors.newCachedThreadPool();

	private final List<Served> served = new ArrayList<>();

	private final HttpServer server;

	private final Ticker clock;

	private final Algorithm algorithm;

	Provider(Algorithm algorithm, Ticker clock) throws IOException {
		this.algorithm = algorithm;
		this.clock = clock;
		this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		this.server.createContext("/", this::handle);
		this.server.setExecutor(this.threads);
		this.server.start();
	}

	String address() {
		return "http://" + this.server.getAddress().getHostString() + ":" + this.server.getAddress().getPort();
	}

	/** The number of requests that were served with this status in a period. */
	synchronized long count(int status, long from, long to) {
		return this.served.stream()
			.filter((request) -> request.status == status && request.at >= from && request.at < to)
			.count();
	}

	private void handle(HttpExchange exchange) throws IOException {
		int status;
		synchronized (this) {
			long now = this.clock.ticks();
			boolean allowed = this.algorithm.allow(now);
			status = allowed ? 200 : 429;
			this.served.add(new Served(now, status));
			this.algorithm.headers(now, allowed).forEach(exchange.getResponseHeaders()::set);
		}
		exchange.sendResponseHeaders(status, -1);
		exchange.close();
	}

	@Override
	public void close() {
		this.server.stop(0);
		this.threads.shutdown();
	}

	private static long seconds(long ticks) {
		return -Math.floorDiv(-ticks, 1_000_000L);
	}

	private record Served(long at, int status) {

	}

	/**
	 * The algorithm of the provider, and the headers that it writes.
	 */
	interface Algorithm {

		boolean allow(long now);

		Map<String, String> headers(long now, boolean allowed);

	}

	/** A fixed window of a minute, whose start the provider chooses. */
	static final class Window implements Algorithm {

		private final long start;

		private long window;

		private long used;

		Window(long start) {
			this.start = start;
		}

		@Override
		public boolean allow(long now) {
			long current = Math.floorDiv(now - this.start, MINUTE);
			this.used = (current == this.window) ? this.used : 0;
			this.window = current;
			return this.used < LIMIT && this.used++ < LIMIT;
		}

		@Override
		public Map<String, String> headers(long now, boolean allowed) {
			String reset = Long.toString(seconds(this.start + (this.window + 1) * MINUTE - now));
			String remaining = Long.toString(LIMIT - this.used);
			return allowed ? Map.of("X-RateLimit-Remaining", remaining, "X-RateLimit-Reset", reset)
					: Map.of("X-RateLimit-Remaining", "0", "X-RateLimit-Reset", reset, "Retry-After", reset);
		}

	}

	/** A token bucket that earns its capacity within a minute. */
	static final class Bucket implements Algorithm {

		private final double capacity;

		private double permits;

		private long updated;

		Bucket(double capacity) {
			this.capacity = capacity;
			this.permits = capacity;
		}

		@Override
		public boolean allow(long now) {
			double earned = (this.updated == 0) ? 0 : (double) LIMIT * (now - this.updated) / MINUTE;
			this.permits = Math.min(this.capacity, this.permits + earned);
			this.updated = now;
			boolean allowed = this.permits >= 1;
			this.permits -= allowed ? 1 : 0;
			return allowed;
		}

		@Override
		public Map<String, String> headers(long now, boolean allowed) {
			long next = Math.max(1, seconds((long) ((1 - this.permits) * MINUTE / LIMIT)));
			long left = (long) this.permits;
			return Map.of("RateLimit", "\"minute\";r=" + left + ";t=" + next, allowed ? "X-None" : "Retry-After",
					Long.toString(next));
		}

	}

	/** At most 100 requests in any minute. */
	static final class Log implements Algorithm {

		private final Deque<Long> requests = new ArrayDeque<>();

		@Override
		public boolean allow(long now) {
			while (!this.requests.isEmpty() && this.requests.getFirst() <= now - MINUTE) {
				this.requests.removeFirst();
			}
			return this.requests.size() < LIMIT && this.requests.add(now);
		}

		@Override
		public Map<String, String> headers(long now, boolean allowed) {
			String reset = Long.toString(seconds(this.requests.getFirst() + MINUTE - now));
			return Map.of("RateLimit-Remaining", Integer.toString(LIMIT - this.requests.size()), "RateLimit-Reset",
					reset, allowed ? "X-None" : "Retry-After", reset);
		}

	}

}
