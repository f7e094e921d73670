package io.tierlimit.application;

import java.time.Duration;
import java.util.ArrayList;
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
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that each bucket contains exactly what its requests have left, and that no
 * permits are in use, after many concurrent requests with random costs and random ends,
 * for every store. Buckets do not refill in a test.
 */
@TestInstance(Lifecycle.PER_CLASS)
@Tag("slow")
abstract class SettlementStormContract {

	private static final int THREADS = 6;

	private static final int REQUESTS = Rounds.of(420, 5000);

	private static final int KEYS = REQUESTS / 70;

	private static final long BURST = 400;

	private static final long DAY = Duration.ofDays(1).toNanos() / 1000;

	private final List<RunningApplication> instances = new ArrayList<>();

	/** The permits that the allowed requests must have consumed. */
	private final Map<BucketKey, Long> consumed = new ConcurrentHashMap<>();

	private final AtomicInteger allowed = new AtomicInteger();

	abstract String[] store();

	/** The number of instances of the application. */
	abstract int number();

	@BeforeAll
	void start() {
		for (int i = 0; i < number(); i++) {
			this.instances.add(RunningApplication.start(SettlingApplication.class,
					RunningApplication.with(store(), properties(BURST, 100_000))));
			this.instances.get(i).bean(Gate.class).open();
		}
	}

	/** The properties of {@link SettlingApplication} for a {@link RandomRequest}. */
	static String[] properties(long burst, long maxDebt) {
		String[] rules = RunningApplication.rules("tokens.rate=1/d", "tokens.burst=" + burst,
				"tokens.cost=" + RandomRequest.ESTIMATE, "tokens.actual-cost=responseHeader('X-Tokens')",
				"tokens.max-debt=" + maxDebt, "metered.rate=1/d", "metered.burst=" + burst,
				"metered.cost=" + RandomRequest.ESTIMATE, "metered.actual-cost=metered", "metered.max-debt=" + maxDebt,
				"rated.rate=1/d", "rated.burst=50", "exports.algorithm=concurrency", "exports.limit=3",
				"named.paths=/named", "named.rate=1/d", "called.applies-to=code", "called.rate=1/d");
		String[] keys = RunningApplication.rules("tokens.key=param('k')", "metered.key=param('k')",
				"rated.key=param('k')", "exports.key=param('k')");
		return RunningApplication.with(rules,
				RunningApplication.with(keys, "tierlimit.keys.hash=none", "server.shutdown=immediate"));
	}

	@AfterAll
	void stop() {
		this.instances.forEach(RunningApplication::close);
	}

	@Test
	void everyBucketIsExactAndNoPermitIsInUse() throws Exception {
		Crowd.run(THREADS, (thread) -> {
			Random random = new Random(thread);
			for (int i = 0; i < REQUESTS / THREADS; i++) {
				request(random);
			}
			return 0;
		});
		assertThat(this.allowed.get()).isBetween(REQUESTS / 3, REQUESTS - 1);
		IntStream.range(0, KEYS).mapToObj(SettlementStormContract::key).forEach((key) -> {
			Held held = this.instances.get(0).bean(Held.class);
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
		RunningApplication instance = this.instances.get(random.nextInt(this.instances.size()));
		String key = key(random.nextInt(KEYS));
		RandomRequest request = RandomRequest.create("k=" + key, random);
		int status = (request.end() == End.COMPLETE) ? instance.get(request.target()).status()
				: request.send(instance.raw());
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

	private long missing(BucketKey bucket) {
		return missing(this.instances.get(0), bucket, bucket.rule().equals("rated") ? 50 : BURST);
	}

	/** The permits that are missing in a bucket, including what it owes. */
	static long missing(RunningApplication instance, BucketKey bucket, long burst) {
		Charge level = new Charge(bucket, new TokenBucket(Rate.parse("1/d"), burst), 0);
		long ticks = instance.bean(BucketStore.class).peek(List.of(level)).decisions().get(0).resetTicks();
		return -Math.floorDiv(-ticks, DAY);
	}

}
