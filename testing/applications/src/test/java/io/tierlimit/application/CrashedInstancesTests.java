package io.tierlimit.application;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.tierlimit.application.EndingApplication.Gate;
import io.tierlimit.junit.Poll;
import io.tierlimit.junit.Rounds;
import io.tierlimit.limit.Concurrency;
import io.tierlimit.redis.RedisServer;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.BucketStore;
import io.tierlimit.store.Charge;
import io.tierlimit.store.Crowd;
import io.tierlimit.store.redis.Later;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that each bucket contains exactly what its requests have consumed, and that no
 * permits are in use, after many concurrent requests with random costs and random ends, a
 * restart of Redis, and the crash of an instance. A request that a fault has interrupted
 * may have consumed less than its cost, and not more. Redis keeps what it has executed,
 * and buckets do not refill in the test.
 */
@Tag("slow")
class CrashedInstancesTests {

	private static final int THREADS = 6;

	private static final int REQUESTS = Rounds.of(216, 2160);

	private static final List<String> KEYS = IntStream.range(0, REQUESTS / 8).mapToObj((i) -> "key-" + i).toList();

	/** The key of a request that is in flight until its instance crashes. */
	private static final String CRASHED = "crashed";

	/** The key of a request that is in flight while Redis restarts. */
	private static final String RESTARTED = "restarted";

	private static final long BURST = 100;

	/** Three requests of a key at the same time do not reach this debt. */
	private static final long MAX_DEBT = 300;

	private final RedisServer server = RedisServer.start("--appendonly", "yes", "--appendfsync", "always");

	private final Queue<SentRequest> requests = new ConcurrentLinkedQueue<>();

	private final AtomicInteger ids = new AtomicInteger();

	/** The ports of the instances whose requests a fault interrupts. */
	private final Set<Integer> failing = ConcurrentHashMap.newKeySet();

	@TempDir
	private Path directory;

	private SettlingProcess process;

	private int crashingPort;

	private RunningApplication survivor;

	@BeforeEach
	void start() throws IOException {
		String[] rules = RunningApplication.rules("rated.burst=" + BURST, "own.algorithm=concurrency", "own.limit=1",
				"own.key=param('id')");
		String[] properties = RunningApplication.redis(this.server.port(),
				RunningApplication.with(SettlementStormContract.properties(BURST, MAX_DEBT),
						RunningApplication.with(rules, "tierlimit.redis.on-store-failure=deny")));
		this.process = new SettlingProcess(this.directory.resolve("output"), properties);
		this.survivor = RunningApplication.start(SettlingApplication.class, properties);
		this.survivor.bean(Gate.class).open();
		this.crashingPort = this.process.awaitPort();
	}

	@AfterEach
	void stop() {
		this.process.close();
		this.survivor.close();
		this.server.close();
	}

	@Test
	void everyBucketIsExactAndNoPermitIsInUse() {
		whileInFlight(CRASHED, this.crashingPort, () -> whileInFlight(RESTARTED, this.survivor.port(), this::storm));
		assertNoPermitIsInUseLater();
		assertThat(this.requests).filteredOn(SentRequest::isInterrupted).hasSizeBetween(1, REQUESTS / 4);
		assertThat(this.requests).filteredOn(SentRequest::isRejected).hasSizeBetween(1, REQUESTS * 3 / 4);
		assertThat(KEYS.stream().filter((key) -> of(key).noneMatch(SentRequest::isInterrupted)))
			.as("buckets whose contents are certain")
			.hasSizeGreaterThan(KEYS.size() / 4);
		for (String rule : List.of("tokens", "metered", "rated")) {
			KEYS.forEach((key) -> assertConsumed(rule, key, of(key).mapToLong((request) -> request.least(rule)).sum(),
					of(key).mapToLong((request) -> request.most(rule)).sum()));
		}
		assertConsumed("tokens", CRASHED, RandomRequest.ESTIMATE, RandomRequest.ESTIMATE);
		assertConsumed("metered", CRASHED, 25, 25);
		assertConsumed("tokens", RESTARTED, 30, 30);
		assertConsumed("metered", RESTARTED, 25, 25);
	}

	/**
	 * Sends a request that has metered more than its estimate, acts, and then resets the
	 * connection.
	 */
	private void whileInFlight(String key, int port, Runnable action) {
		new RawHttp(port).reset("GET /leaving/quietly?tokens=30&metered=25&" + parameters(key) + " HTTP/1.1", () -> {
			assertConsumed("metered", key, 25, 25);
			action.run();
		});
	}

	private static String parameters(String key) {
		return "k=" + key + "&id=" + key;
	}

	private void storm() {
		try {
			Crowd.run(THREADS + 1, (thread) -> {
				if (thread == THREADS) {
					causeFaults();
				}
				else {
					Random random = new Random(thread);
					IntStream.range(0, REQUESTS / THREADS).forEach((i) -> send(random));
				}
				return 0;
			});
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	private void causeFaults() {
		awaitRequests(REQUESTS / 3);
		interrupt(Set.of(this.survivor.port(), this.crashingPort));
		this.server.restart();
		awaitRecovery(this.survivor.port());
		awaitRecovery(this.crashingPort);
		this.failing.clear();
		awaitRequests(REQUESTS * 2 / 3);
		interrupt(Set.of(this.crashingPort));
		this.process.close();
		assertThat(inUse(store(), List.of(new BucketKey(HoldingApplication.RULE, CRASHED)))).containsExactly(1L);
	}

	private void awaitRequests(int number) {
		Poll.until(() -> this.requests.size() >= number, () -> "Sent are " + this.requests.size());
	}

	/** Marks the requests that have not ended, and all that are sent from now on. */
	private void interrupt(Set<Integer> ports) {
		this.failing.addAll(ports);
		List<SentRequest> sent = this.requests.stream().filter((request) -> ports.contains(request.port())).toList();
		sent.stream().filter((request) -> !request.hasResponse()).forEach(SentRequest::interrupt);
		// One call settles the costs of a request and releases its permits.
		List<Long> inUse = inUse(store(), sent.stream().map(SentRequest::own).toList());
		IntStream.range(0, sent.size()).filter((i) -> inUse.get(i) > 0).forEach((i) -> sent.get(i).interrupt());
	}

	/** Waits until the calls that have failed no longer open the circuit breaker. */
	private void awaitRecovery(int port) {
		Poll.until(() -> IntStream.range(0, 10).allMatch((i) -> isDecided(port)), () -> "Redis decides no requests");
	}

	private boolean isDecided(int port) {
		String request = "GET /status?status=200&" + parameters(id()) + " HTTP/1.1";
		return new RawHttp(port).send(request, "", "").status() == 200;
	}

	private String id() {
		return "id-" + this.ids.incrementAndGet();
	}

	/** Sends a request. The next one is sent when Redis is available. */
	private void send(Random random) {
		int port = (random.nextBoolean() && this.process.isAlive()) ? this.crashingPort : this.survivor.port();
		SentRequest request = new SentRequest(port, KEYS.get(random.nextInt(KEYS.size())), id(), random);
		this.requests.add(request);
		if (this.failing.contains(port)) {
			request.interrupt();
		}
		request.send();
		if (request.isInterrupted()) {
			Poll.until(() -> !this.failing.contains(this.survivor.port()), () -> "Redis is not available");
		}
	}

	/** The survivor renews its holders. A crashed instance does not. */
	private void assertNoPermitIsInUseLater() {
		List<BucketKey> shared = Stream.concat(KEYS.stream(), Stream.of(CRASHED, RESTARTED))
			.map((key) -> new BucketKey(HoldingApplication.RULE, key))
			.toList();
		List<BucketKey> own = this.requests.stream().map(SentRequest::own).toList();
		try (Later later = new Later(this.server, store())) {
			for (List<BucketKey> buckets : List.of(shared, own)) {
				Poll.until(() -> inUse(later.store(), buckets).stream().allMatch((permits) -> permits == 0),
						() -> "In use are " + inUse(later.store(), buckets));
			}
		}
	}

	/** The permits in use, of each bucket. */
	private static List<Long> inUse(BucketStore store, List<BucketKey> buckets) {
		Concurrency limit = Concurrency.of(100, Concurrency.MAX_DURATION);
		return store.peek(buckets.stream().map((bucket) -> new Charge(bucket, limit, 0)).toList())
			.decisions()
			.stream()
			.map((decision) -> limit.capacity() - decision.remaining())
			.toList();
	}

	private BucketStore store() {
		return this.survivor.bean(BucketStore.class);
	}

	private Stream<SentRequest> of(String key) {
		return this.requests.stream().filter((request) -> request.key().equals(key));
	}

	private void assertConsumed(String rule, String key, long least, long most) {
		BucketKey bucket = new BucketKey(rule, key);
		Poll.until(() -> missing(bucket) >= least && missing(bucket) <= Math.min(most, BURST + MAX_DEBT),
				() -> bucket + ": consumed are " + missing(bucket) + " in place of " + least + " to " + most + " by "
						+ of(key).toList());
	}

	private long missing(BucketKey bucket) {
		return SettlementStormContract.missing(this.survivor, bucket, BURST);
	}

}
