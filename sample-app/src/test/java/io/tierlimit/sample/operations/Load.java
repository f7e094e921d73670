package io.tierlimit.sample.operations;

import java.time.Duration;

import io.tierlimit.junit.Poll;
import io.tierlimit.redis.TcpProxy;

/**
 * Creates the load of a day at the shop in a few seconds, so that all its rules, meters
 * and alerts are used.
 */
final class Load {

	/** The properties to start the shop with. */
	static final String[] SETTINGS = { "--tierlimit.redis.timeout=5s",
			"--tierlimit.client-ip.trusted-proxies=127.0.0.1", "--tierlimit.memory.max-buckets=2",
			// Headers show all rules that apply to customers.
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

	/** As many addresses as there can be buckets. */
	private static final String[] RESIDENTS = { "198.51.100.1", "198.51.100.2" };

	/** A later address that evicts one of these buckets. */
	private static final String VISITOR = "198.51.100.3";

	/** Addresses that evict all other buckets, and are not evicted. */
	private static final String[] SQUATTERS = { "198.51.100.4", "198.51.100.5" };

	/** An address for which no bucket can be evicted. */
	static final String STRANGER = "203.0.113.1";

	static final int EVICTIONS = 1 + SQUATTERS.length;

	static final int BUCKETS = RESIDENTS.length;

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private final Customers customers;

	private final TcpProxy network;

	private int found;

	private int rejected;

	Load(Customers customers, TcpProxy network) {
		this.customers = customers;
		this.network = network;
	}

	/** Slows the network down, which affects the next calls. */
	void callSlowly() {
		this.network.delay(Duration.ofMillis(50));
		for (int i = 0; i < 5; i++) {
			this.customers.get("/api/products");
		}
		this.network.heal();
	}

	void run() {
		shop();
		search();
		loseRedis();
		for (int i = 0; i < 5; i++) {
			this.customers.get("/api/products");
		}
	}

	private void shop() {
		this.customers.uploadPrices(30);
		for (int i = 0; i < 12; i++) {
			this.customers.getAs("fred", "/api/products");
		}
		for (int i = 0; i < 8; i++) {
			this.customers.order("fred", "");
		}
		for (int i = 0; i < 3; i++) {
			this.customers.order("flora", "?express");
			this.customers.order("paula", "");
			this.customers.order("emma", "");
			this.customers.login();
		}
		for (int i = 0; i < 45; i++) {
			this.customers.getFrom("192.0.2.2", "/api/products/1");
		}
	}

	/**
	 * All customers search, from so many addresses that only the limit of the search
	 * rejects requests.
	 */
	private void search() {
		Poll.until(PATIENCE, () -> {
			Answer answer = this.customers.getFrom("192.0.2." + (100 + (this.found + this.rejected) % 100),
					"/api/search?q=cup");
			this.found += answer.isRejected() ? 0 : 1;
			this.rejected += answer.isRejected() ? 1 : 0;
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
			this.customers.getFrom(address, "/api/products");
		}
		this.customers.getFrom(VISITOR, "/api/products");
		for (String address : SQUATTERS) {
			// An empty bucket is not evicted.
			Poll.until(PATIENCE, () -> this.customers.getFrom(address, "/api/products").isRejected(),
					() -> address + " isn't rejected");
		}
		for (int i = 0; i < 5; i++) {
			this.customers.getFrom(STRANGER, "/api/products");
			this.customers.login();
		}
		this.network.heal();
		Poll.until(PATIENCE, () -> !this.customers.getFrom(STRANGER, "/api/products").isLocal(),
				() -> "Redis isn't back");
	}

}
