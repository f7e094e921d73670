package io.tierlimit.sample.operations;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.Collections;

import io.tierlimit.junit.Poll;
import io.tierlimit.redis.TcpProxy;

/**
 * Creates the load of a day at the shop in a few seconds, so that all its rules, meters
 * and alerts are used. A trusted proxy reports the addresses of the customers.
 */
final class Load {

	/** The properties to start the shop with. */
	static final String[] SETTINGS = { "--tierlimit.redis.timeout=5s",
			"--tierlimit.client-ip.trusted-proxies=127.0.0.1", "--tierlimit.memory.max-buckets=2",
			// Headers show whether Redis has decided.
			"--tierlimit.rules.shop.headers=shown",
			// This rule also applies to each request of Prometheus.
			"--tierlimit.rules.wrong-passwords-per-address.enabled=false",
			// Buckets that refill either fast or not at all.
			"--tierlimit.rules.per-address.rate=120/d", "--tierlimit.rules.bulk-reading.rate=10/d",
			"--tierlimit.rules.search.rate=10/s", "--tierlimit.rules.search.burst=5",
			// The third batch of a price list waits for longer than a test runs.
			"--tierlimit.rules.imports.rate=1/m",
			// A rule that never rejects a request, even if it were enforced.
			"--tierlimit.rules.generous.rate=1000000/d", "--tierlimit.rules.generous.mode=shadow",
			"--tierlimit.rules.generous.on-store-failure=allow",
			// The candidate has the same limit as its rule, and decides in the same way.
			"--tierlimit.rules.generous.candidate.rate=1000000/d", "--tierlimit.rules.generous.adaptive.min-rate=1/d",
			"--tierlimit.rules.generous.adaptive.max-error-rate=50%",
			// The updates of an adaptive rate would also call Redis.
			"--spring.autoconfigure.exclude=io.tierlimit.autoconfigure.TierlimitAdaptiveAutoConfiguration" };

	/** The address of most customers. */
	private static final String OFFICE = "192.0.2.1";

	/** As many addresses as there can be buckets. */
	private static final String[] RESIDENTS = { "198.51.100.1", "198.51.100.2" };

	/** Later addresses that evict these buckets, and are not evicted. */
	private static final String[] SQUATTERS = { "198.51.100.4", "198.51.100.5" };

	/** An address for which no bucket can be evicted. */
	private static final String STRANGER = "203.0.113.1";

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private final HttpClient client = HttpClient.newHttpClient();

	private final String shop;

	private final TcpProxy network;

	private int found;

	private int rejected;

	Load(int port, TcpProxy network) {
		this.shop = "http://127.0.0.1:" + port;
		this.network = network;
	}

	/** Slows the network down, which affects the next calls. */
	void callSlowly() {
		this.network.delay(Duration.ofMillis(50));
		getOften(5, "/api/products");
		this.network.heal();
	}

	/** Waits until an export is complete. */
	int export(String user) {
		return send(OFFICE, as(user, request("/live/export"))).statusCode();
	}

	void run() {
		shop();
		search();
		loseRedis();
		getOften(5, "/api/products");
	}

	private void shop() {
		uploadPrices(30);
		for (int i = 0; i < 12; i++) {
			send(OFFICE, as("fred", request("/api/products")));
		}
		for (int i = 0; i < 8; i++) {
			order("fred", "");
		}
		for (int i = 0; i < 3; i++) {
			order("flora", "?express");
			order("paula", "");
			order("emma", "");
			login();
		}
		for (int i = 0; i < 45; i++) {
			get("192.0.2.2", "/api/products/1");
		}
	}

	/**
	 * All customers search, from so many addresses that only the limit of the search
	 * rejects requests.
	 */
	private void search() {
		Poll.until(PATIENCE, () -> {
			boolean over = isRejected(
					get("192.0.2." + (100 + (this.found + this.rejected) % 100), "/api/search?q=cup"));
			this.found += over ? 0 : 1;
			this.rejected += over ? 1 : 0;
			return this.found >= 20 && this.rejected >= 100;
		}, () -> this.found + " found, " + this.rejected + " rejected");
	}

	/**
	 * Sends requests from more addresses than there can be buckets, until Redis is
	 * available again.
	 */
	private void loseRedis() {
		this.network.reject();
		for (String address : RESIDENTS) {
			get(address, "/api/products");
		}
		for (String address : SQUATTERS) {
			// An empty bucket is not evicted.
			Poll.until(PATIENCE, () -> isRejected(get(address, "/api/products")), () -> address + " isn't rejected");
		}
		for (int i = 0; i < 5; i++) {
			get(STRANGER, "/api/products");
			login();
		}
		this.network.heal();
		Poll.until(PATIENCE, () -> isDecidedByRedis(get(STRANGER, "/api/products")), () -> "Redis isn't back");
	}

	private static boolean isRejected(HttpResponse<String> response) {
		return response.statusCode() == 429;
	}

	/** The rule of the shop allows all requests without Redis, and is not shown then. */
	private static boolean isDecidedByRedis(HttpResponse<String> response) {
		return response.headers().firstValue("RateLimit-Policy").orElse("").contains("\"shop\"");
	}

	private void getOften(int times, String path) {
		for (int i = 0; i < times; i++) {
			get(OFFICE, path);
		}
	}

	private HttpResponse<String> get(String address, String path) {
		return send(address, request(path));
	}

	private void order(String user, String parameters) {
		send(OFFICE, as(user, post("/api/orders" + parameters, "{\"product\":1,\"quantity\":2}")));
	}

	/** Sends a guess of a password. */
	private void login() {
		send(OFFICE, request("/api/login").header("Content-Type", "application/x-www-form-urlencoded")
			.POST(BodyPublishers.ofString("username=fred&password=guess")));
	}

	/** Uploads a price list of a partner, of which the shop writes 10 rows at a time. */
	private void uploadPrices(int rows) {
		String list = String.join(",", Collections.nCopies(rows, "{\"product\":1,\"price\":9.90}"));
		send(OFFICE, post("/api/imports", "[" + list + "]").header("X-Partner-Key", "k-3141"));
	}

	private HttpRequest.Builder post(String path, String json) {
		return request(path).header("Content-Type", "application/json").POST(BodyPublishers.ofString(json));
	}

	private static HttpRequest.Builder as(String user, HttpRequest.Builder request) {
		return request.header("Authorization",
				"Basic " + Base64.getEncoder().encodeToString((user + ":secret").getBytes(StandardCharsets.UTF_8)));
	}

	private HttpRequest.Builder request(String path) {
		return HttpRequest.newBuilder(URI.create(this.shop + path));
	}

	private HttpResponse<String> send(String address, HttpRequest.Builder request) {
		try {
			return this.client.send(request.header("X-Forwarded-For", address).build(), BodyHandlers.ofString());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

}
