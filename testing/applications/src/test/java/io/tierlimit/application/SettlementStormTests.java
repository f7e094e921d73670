package io.tierlimit.application;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import io.tierlimit.application.EndingApplication.Gate;
import io.tierlimit.application.HoldingApplication.Held;
import io.tierlimit.application.RandomRequest.End;
import io.tierlimit.junit.Poll;
import io.tierlimit.junit.Rounds;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.BucketStore;
import io.tierlimit.store.Charge;
import io.tierlimit.store.Crowd;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that each bucket contains exactly what its requests have left, and that no
 * permits are in use, after many concurrent requests with random costs and random ends.
 * Buckets do not refill in a test.
 */
@Tag("slow")
class SettlementStormTests {

	private static final int THREADS = 6;

	private static final int REQUESTS = Rounds.of(420, 5000);

	private static final int KEYS = REQUESTS / 70;

	private static final long BURST = 400;

	private static final long DAY = Duration.ofDays(1).toNanos() / 1000;

	private final RunningApplication application = RunningApplication.start(SettlingApplication.class, properties());

	/** The permits that the allowed requests must have consumed. */
	private final Map<BucketKey, Long> consumed = new ConcurrentHashMap<>();

	private final AtomicInteger allowed = new AtomicInteger();

	private static String[] properties() {
		String[] rules = RunningApplication.rules("tokens.rate=1/d", "tokens.burst=" + BURST,
				"tokens.cost=" + RandomRequest.ESTIMATE, "tokens.actual-cost=responseHeader('X-Tokens')",
				"tokens.max-debt=100000", "metered.rate=1/d", "metered.burst=" + BURST,
				"metered.cost=" + RandomRequest.ESTIMATE, "metered.actual-cost=metered", "metered.max-debt=100000",
				"rated.rate=1/d", "rated.burst=50", "exports.algorithm=concurrency", "exports.limit=3",
				"named.paths=/named", "named.rate=1/d");
		String[] keys = RunningApplication.rules("tokens.key=param('k')", "metered.key=param('k')",
				"rated.key=param('k')", "exports.key=param('k')");
		return RunningApplication.with(rules,
				RunningApplication.with(keys, "tierlimit.keys.hash=none", "server.shutdown=immediate"));
	}

	@AfterEach
	void stop() {
		this.application.close();
	}

	@Test
	void everyBucketIsExactAndNoPermitIsInUse() throws Exception {
		this.application.bean(Gate.class).open();
		Crowd.run(THREADS, (thread) -> {
			Random random = new Random(thread);
			for (int i = 0; i < REQUESTS / THREADS; i++) {
				request(random);
			}
			return 0;
		});
		assertThat(this.allowed.get()).isBetween(REQUESTS / 3, REQUESTS - 1);
		IntStream.range(0, KEYS).mapToObj(SettlementStormTests::key).forEach((key) -> {
			Held held = this.application.bean(Held.class);
			Poll.until(() -> held.now(key) == 0, () -> key + ": in use are " + held.now(key));
			for (String rule : List.of("tokens", "metered", "rated")) {
				assertExact(new BucketKey(rule, key));
			}
		});
	}

	private static String key(int number) {
		return "key-" + number;
	}

	/** Sends a request, and records what it must consume. */
	private void request(Random random) {
		String key = key(random.nextInt(KEYS));
		RandomRequest request = RandomRequest.create("k=" + key, random);
		int status = (request.end() == End.COMPLETE) ? this.application.get(request.target()).status()
				: request.send(this.application.raw());
		assertThat(status).isGreaterThanOrEqualTo(200);
		if (status != 429) {
			this.allowed.incrementAndGet();
			add("rated", key, 1);
			add("metered", key, request.metered());
			add("tokens", key, request.tokens());
		}
	}

	private void add(String rule, String key, long permits) {
		this.consumed.merge(new BucketKey(rule, key), permits, Long::sum);
	}

	private void assertExact(BucketKey bucket) {
		long expected = this.consumed.getOrDefault(bucket, 0L);
		Poll.until(() -> missing(bucket) == expected, () -> bucket + ": consumed are " + missing(bucket)
				+ " in place of " + expected + " by " + this.consumed.get(new BucketKey("rated", bucket.key())));
	}

	/** The permits that are missing in a bucket, including what it owes. */
	private long missing(BucketKey bucket) {
		long burst = bucket.rule().equals("rated") ? 50 : BURST;
		Charge level = new Charge(bucket, new TokenBucket(Rate.parse("1/d"), burst), 0);
		BucketStore store = this.application.bean(BucketStore.class);
		return -Math.floorDiv(-store.peek(List.of(level)).decisions().get(0).resetTicks(), DAY);
	}

}
