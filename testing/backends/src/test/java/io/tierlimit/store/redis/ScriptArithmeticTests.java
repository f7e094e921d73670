package io.tierlimit.store.redis;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;

import io.tierlimit.junit.Rounds;
import io.tierlimit.limit.BucketState;
import io.tierlimit.limit.PackedState;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.StoreFailurePolicy;
import io.tierlimit.limit.StoredNumbers;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.redis.RedisServer;
import io.tierlimit.store.AcquireResult;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.Charge;
import io.tierlimit.store.SequentialBucketStore;
import io.tierlimit.store.Settlement;
import io.tierlimit.store.StoreFailureFlag;
import io.tierlimit.store.StoreListener;
import io.tierlimit.store.Ticker;
import io.tierlimit.store.memory.InMemoryBucketStore;
import io.tierlimit.store.redis.ScriptClient.ScriptCall;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.script.RedisScript;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Compares {@code buckets.lua} with the arithmetic in Java: after each of 12,000 random
 * steps, and of 240,000 before a release, the decisions and the states are the same.
 */
@Tag("slow")
class ScriptArithmeticTests {

	private static final int STEPS = Rounds.of(1_250, 25_000);

	private static final int ROUNDS = Rounds.of(100, 1000);

	private static final String NOT_PLAIN = "if kind ~= 1 and kind ~= 3 then";

	private static final String DECIDED = "\treturn true\n";

	private static final long START = 1_700_000_000_000_000L;

	private static final BucketKey KEY = new BucketKey("exact", "whole");

	private static RedisServer server;

	private static LettuceConnectionFactory factory;

	private static SimulatedTime client;

	private static RedisBucketStore store;

	/** A store on the same buckets, with a script that does not use the straight path. */
	private static RedisBucketStore general;

	private static RedisBuckets kept;

	@BeforeAll
	static void start() {
		server = RedisServer.start();
		factory = new LettuceConnectionFactory("localhost", server.port());
		factory.start();
		client = new SimulatedTime(ScriptClientFactory.create(factory, TestConnections.TIMEOUT));
		store = store(client, SimulatedTime.replace(DECIDED, "\tredis.call('INCR', 'straight')\n" + DECIDED,
				SimulatedTime.SCRIPT.getScriptAsString()));
		general = store(client,
				SimulatedTime.replace(NOT_PLAIN, "if true then", SimulatedTime.SCRIPT.getScriptAsString()));
		kept = new RedisBuckets(client, SimulatedTime.SCRIPT, new RedisKeys("twin"), CircuitBreakers.CONFIG,
				System::nanoTime);
	}

	private static RedisBucketStore store(ScriptClient client, String script) {
		return new RedisBucketStore(client, RedisScript.of(script),
				new RedisStoreSettings("twin", TestConnections.TIMEOUT, StoreFailurePolicy.DENY, BigDecimal.ONE, 0),
				new InMemoryBucketStore(Ticker.system(), 1), StoreListener.NONE, System::nanoTime);
	}

	@AfterAll
	static void stop() {
		client.close();
		factory.destroy();
		server.close();
	}

	@ParameterizedTest
	@ValueSource(longs = { 1, 2, 3, 4 })
	void decisionsAndStatesEqualThoseInJava(long seed) throws StoreFailure {
		assertSameAsInJava(new RandomSteps(seed));
	}

	/**
	 * The straight path and the general path decide on the same buckets, in random order.
	 */
	@ParameterizedTest
	@ValueSource(longs = { 5, 6, 7, 8 })
	void bothPathsDecideLikeJava(long seed) throws StoreFailure {
		server.command("SET", "straight", "0");
		assertSameAsInJava(RandomSteps.common(seed));
		assertThat(Integer.parseInt(server.command("GET", "straight"))).isBetween(STEPS / 10, STEPS / 2);
	}

	/** Requests are decided in the order in which they began to wait. */
	@ParameterizedTest
	@ValueSource(longs = { 9, 10 })
	void combinedRequestsDecideLikeJavaOneAfterTheOther(long seed) throws Exception {
		assertCombinedSameAsInJava(new RandomSteps(seed));
	}

	@ParameterizedTest
	@ValueSource(longs = { 11, 12 })
	void combinedCommonRequestsDecideLikeJavaOneAfterTheOther(long seed) throws Exception {
		assertCombinedSameAsInJava(RandomSteps.common(seed));
	}

	private static void assertCombinedSameAsInJava(RandomSteps steps) throws Exception {
		SequentialBucketStore exact = new SequentialBucketStore(client::now);
		CombiningClient combining = new CombiningClient(client, SimulatedTime.SCRIPT);
		RedisBucketStore combined = store(combining, SimulatedTime.SCRIPT.getScriptAsString());
		client.send(SimulatedTime.SCRIPT, new ScriptCall(List.of(), List.of(new byte[0])), true).get();
		ExecutorService threads = Executors.newCachedThreadPool();
		try {
			for (int i = 0; i < STEPS / 5; i++) {
				client.set(steps.elapse());
				List<List<Charge>> requests = Stream.generate(steps::charges).limit(1 + steps.oneOf(6)).toList();
				List<Future<AcquireResult>> results = new ArrayList<>();
				for (List<Charge> charges : requests) {
					results.add(threads.submit(() -> combined.acquire(charges, new StoreFailureFlag())));
					combining.await(results.size());
				}
				assertThat(combining.release()).as("calls for %s", requests).isOne();
				for (int k = 0; k < requests.size(); k++) {
					assertThat(results.get(k).get()).as("step %s, request %s of %s", i, k, requests)
						.isEqualTo(exact.acquire(requests.get(k), new StoreFailureFlag()));
				}
				for (List<Charge> charges : requests) {
					assertSameStates(charges, exact, i);
				}
			}
		}
		finally {
			threads.shutdownNow();
		}
	}

	private static void assertSameAsInJava(RandomSteps steps) throws StoreFailure {
		SequentialBucketStore exact = new SequentialBucketStore(client::now);
		List<Charge> taken = List.of();
		for (int i = 0; i < STEPS; i++) {
			client.set(steps.elapse());
			List<Charge> charges = steps.charges();
			RedisBucketStore path = (steps.oneOf(2) == 0) ? store : general;
			switch (steps.oneOf(20)) {
				case 0 -> {
					path.refund(charges, new StoreFailureFlag());
					exact.refund(charges, new StoreFailureFlag());
				}
				case 1 -> {
					path.reset(charges.get(0).key(), new StoreFailureFlag());
					exact.reset(charges.get(0).key(), new StoreFailureFlag());
				}
				case 2 -> {
					path.refill(charges.get(0).key(), new StoreFailureFlag());
					exact.refill(charges.get(0).key(), new StoreFailureFlag());
				}
				case 3 -> {
					path.refund(taken, new StoreFailureFlag());
					exact.refund(taken, new StoreFailureFlag());
					taken = List.of();
				}
				case 4, 5 -> {
					List<Settlement> settlements = steps.settlements(taken.isEmpty() ? charges : taken);
					assertThat(path.settle(settlements, new StoreFailureFlag())).as("step %s: %s", i, settlements)
						.isEqualTo(exact.settle(settlements, new StoreFailureFlag()));
					assertSameStates(settlements.stream().map(Settlement::charge).toList(), exact, i);
					taken = List.of();
				}
				default -> {
					AcquireResult result = path.acquire(charges, new StoreFailureFlag());
					assertThat(result).as("step %s: %s", i, charges)
						.isEqualTo(exact.acquire(charges, new StoreFailureFlag()));
					taken = (result.admitted() && steps.oneOf(3) == 0) ? result.charges() : taken;
				}
			}
			assertSameStates(charges, exact, i);
		}
	}

	private static void assertSameStates(List<Charge> charges, SequentialBucketStore exact, int step)
			throws StoreFailure {
		List<BucketSnapshot> found = kept.peek(charges.stream().map(Charge::key).toList(), TestConnections.TIMEOUT);
		for (int k = 0; k < found.size(); k++) {
			assertThat(numbers(found.get(k).state(charges.get(k).key()))).as("step %s: %s", step, charges)
				.isEqualTo(numbers(exact.state(charges.get(k).key())));
		}
	}

	/**
	 * Tests quotients that random steps rarely produce, and that doubles cannot
	 * distinguish.
	 */
	@ParameterizedTest
	@ValueSource(longs = { -2, -1, 0, 1, 2 })
	void earningIsExactNextToWholePermits(long difference) throws StoreFailure {
		Random random = new Random(difference);
		for (int i = 0; i < ROUNDS; i++) {
			TokenBucket limit = largeLimit(random);
			long elapsed = random.nextLong(limit.timeToFull() / 2);
			BigInteger period = BigInteger.valueOf(limit.rate().periodTicks());
			long earned = BigInteger.valueOf(difference)
				.subtract(BigInteger.valueOf(elapsed).multiply(BigInteger.valueOf(limit.rate().permits())))
				.mod(period)
				.longValueExact();
			assertSameAsInJava(limit, StoredNumbers.tokenBucket(limit.burst() - random.nextLong(1000), earned,
					limit.rate().periodTicks(), START), START + elapsed);
		}
	}

	/** Tests the same with products at the limit of the precision of doubles. */
	@ParameterizedTest
	@ValueSource(longs = { -2, -1, 0, 1, 2 })
	void waitIsExactWhereDoublesBeginToRound(long difference) throws StoreFailure {
		Random random = new Random(difference);
		for (int i = 0; i < ROUNDS; i++) {
			long consumed = 29 + 2 * random.nextLong(1000);
			long period = (1L << 53) / consumed | 1;
			period += (consumed * period < 1L << 53) ? 2 : 0;
			long product = consumed * period;
			long permits = 2 * random.nextLong(20, 5000);
			// The product of the permits is odd and above the limit. Without the earned
			// part, it is below the limit.
			long wait = (product - (period - 1)) / permits + 2 + random.nextLong(period / 2 / permits);
			long earned = product + permits - 1 - wait * permits + difference;
			TokenBucket limit = new TokenBucket(new Rate(permits, Duration.of(period, ChronoUnit.MICROS)), consumed);
			BucketState state = StoredNumbers.tokenBucket(consumed, earned, period, START);
			for (long elapsed = wait - 1; elapsed <= wait + 1; elapsed++) {
				assertSameAsInJava(limit, state, START + elapsed);
			}
		}
	}

	/** Tests the same for a state that was stored under another rate. */
	@ParameterizedTest
	@ValueSource(longs = { -2, -1, 0, 1, 2 })
	void conversionOfFractionsIsExactNextToWholeParts(long difference) throws StoreFailure {
		Random random = new Random(difference);
		for (int i = 0; i < ROUNDS; i++) {
			TokenBucket limit = largeLimit(random);
			BigInteger other = BigInteger.valueOf(largePeriod(random)).nextProbablePrime();
			long earned = BigInteger.valueOf(limit.rate().periodTicks())
				.modInverse(other)
				.multiply(BigInteger.valueOf(difference))
				.mod(other)
				.longValueExact();
			assertSameAsInJava(limit, StoredNumbers.tokenBucket(limit.burst(), earned, other.longValueExact(), START),
					START);
		}
	}

	private static TokenBucket largeLimit(Random random) {
		long permits = Rate.MAX_PERMITS - random.nextLong(1_000_000);
		Duration period = Duration.of(largePeriod(random), ChronoUnit.MICROS);
		return new TokenBucket(new Rate(permits, period), permits - random.nextLong(1_000_000));
	}

	private static long largePeriod(Random random) {
		return Rate.MAX_PERIOD.toSeconds() * 1_000_000 - 1_000_000 - random.nextLong(1_000_000_000);
	}

	private void assertSameAsInJava(TokenBucket limit, BucketState state, long now) throws StoreFailure {
		try (RedisConnection connection = factory.getConnection()) {
			connection.stringCommands().set(new RedisKeys("twin").of(KEY), PackedState.pack(state));
		}
		client.set(now);
		Charge charge = new Charge(KEY, limit, 0);
		assertThat(store.acquire(List.of(charge), new StoreFailureFlag()).decisions()).as("%s: %s", limit, state)
			.containsExactly(limit.acquire(state, 0, now));
		assertThat(numbers(kept.peek(List.of(KEY), TestConnections.TIMEOUT).get(0).state(KEY)))
			.isEqualTo(numbers(state));
	}

	/**
	 * Describes a state. A bucket that was never charged has no timestamp yet. A full one
	 * has no period, and is full for every algorithm.
	 */
	private static String numbers(@Nullable BucketState state) {
		String numbers = String.valueOf(state);
		String bans = numbers.replaceFirst("^((?!, \\d+ rejections).)*", "");
		if (state == null || state.updatedAt() <= 0) {
			return "never charged" + (bans.startsWith(",") ? bans : "");
		}
		boolean full = numbers.contains(", consumed 0, debt 0, ") && numbers.contains(", previous 0, ");
		return full ? "full, updated at " + state.updatedAt() + bans : numbers;
	}

}
