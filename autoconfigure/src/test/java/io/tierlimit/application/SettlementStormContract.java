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

	private static final long ESTIMATE = 10;

	private static final long DAY = Duration.ofDays(1).toNanos() / 1000;

	/** Requests whose responses are complete. */
	private static final List<String> COMPLETE = List.of("/status?status=200", "/status?status=404",
			"/status?status=503", "/error-page?status=500", "/exception?", "/io-exception?", "/uncommitted?status=200",
			"/callable?status=200", "/callable/exception?", "/deferred?status=200", "/future?status=503",
			"/future/exception?", "/rounds?status=200", "/streaming?", "/events/complete?", "/forwarding?status=200",
			"/including?status=200", "/early/deferred?status=200", "/timeout?");

	/** Requests that the server ends early. */
	private static final List<String> EARLY = List.of("/committed?status=200", "/streaming/exception?",
			"/failing-late?status=200");

	/** Requests whose responses never end. */
	private static final List<String> ENDLESS = List.of("/leaving?", "/leaving/async?", "/leaving/servlet?",
			"/leaving/quietly?", "/events?");

	private final List<RunningApplication> instances = new ArrayList<>();

	/** The permits that the allowed requests must have consumed. */
	private final Map<BucketKey, Long> consumed = new ConcurrentHashMap<>();

	private final AtomicInteger allowed = new AtomicInteger();

	abstract String[] store();

	/** The number of instances of the application. */
	abstract int number();

	@BeforeAll
	void start() {
		String[] rules = RunningApplication.rules("tokens.rate=1/d", "tokens.burst=400", "tokens.cost=" + ESTIMATE,
				"tokens.actual-cost=responseHeader('X-Tokens')", "tokens.max-debt=100000", "metered.rate=1/d",
				"metered.burst=400", "metered.cost=" + ESTIMATE, "metered.actual-cost=metered",
				"metered.max-debt=100000", "rated.rate=1/d", "rated.burst=50", "exports.algorithm=concurrency",
				"exports.limit=3", "named.paths=/named", "named.rate=1/d", "called.applies-to=code", "called.rate=1/d");
		String[] keys = RunningApplication.rules("tokens.key=param('k')", "metered.key=param('k')",
				"rated.key=param('k')", "exports.key=param('k')");
		String[] others = { "tierlimit.keys.hash=none", "server.shutdown=immediate" };
		for (int i = 0; i < number(); i++) {
			this.instances.add(RunningApplication.start(SettlingApplication.class, RunningApplication
				.with(RunningApplication.with(store(), rules), RunningApplication.with(keys, others))));
			this.instances.get(i).bean(Gate.class).open();
		}
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
		Cost cost = Cost.random(random);
		String parameters = "&k=" + key + cost.parameters();
		int end = random.nextInt(10);
		int status;
		if (end < 7) {
			status = instance.get(any(COMPLETE, random) + parameters).status();
		}
		else if (end < 8) {
			status = instance.raw().send("GET " + any(EARLY, random) + parameters + " HTTP/1.1", "", "").status();
		}
		else {
			status = instance.raw().statusOf("GET " + any(ENDLESS, random) + parameters + " HTTP/1.1", "");
		}
		assertThat(status).isGreaterThanOrEqualTo(200);
		if (status != 429) {
			this.allowed.incrementAndGet();
			add("rated", key, 1);
			add("metered", key, cost.reported());
			add("tokens", key, (end < 7) ? cost.tokens() : Math.max(cost.tokens(), ESTIMATE));
		}
	}

	private static String any(List<String> all, Random random) {
		return all.get(random.nextInt(all.size()));
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
		long burst = bucket.rule().equals("rated") ? 50 : 400;
		Charge level = new Charge(bucket, new TokenBucket(Rate.parse("1/d"), burst), 0);
		long ticks = this.instances.get(0).bean(BucketStore.class).peek(List.of(level)).decisions().get(0).resetTicks();
		return -Math.floorDiv(-ticks, DAY);
	}

	/**
	 * What a request reports.
	 *
	 * @param parameters the parameters with the reports
	 * @param tokens the cost that its complete response reports
	 * @param reported the cost that code reports, or the estimate
	 */
	private record Cost(String parameters, long tokens, long reported) {

		static Cost random(Random random) {
			long tokens = random.nextInt(random.nextInt(5) == 0 ? 100 : 15);
			long metered = random.nextInt(25);
			long settled = random.nextInt(25);
			return switch (random.nextInt(5)) {
				case 0 -> new Cost("", ESTIMATE, ESTIMATE);
				case 1 -> new Cost("&metered=" + metered, ESTIMATE, metered);
				case 2 -> new Cost("&tokens=" + tokens + "&settled=" + settled, tokens, settled);
				case 3 -> new Cost("&tokens=" + tokens + "&metered=" + metered + "&settled=" + settled, tokens,
						Math.max(metered, settled));
				default -> new Cost("&tokens=" + tokens, tokens, ESTIMATE);
			};
		}

	}

}
