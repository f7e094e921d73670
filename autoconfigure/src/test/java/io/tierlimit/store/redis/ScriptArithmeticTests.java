package io.tierlimit.store.redis;

import java.math.BigDecimal;
import java.util.List;

import io.tierlimit.limit.BucketState;
import io.tierlimit.redis.RedisServer;
import io.tierlimit.store.Charge;
import io.tierlimit.store.InMemoryBucketStore;
import io.tierlimit.store.OnFailure;
import io.tierlimit.store.SequentialBucketStore;
import io.tierlimit.store.Ticker;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Holds {@code buckets.lua} to the arithmetic in Java: after each of 100,000 random steps
 * both have decided the same, and keep the same.
 */
class ScriptArithmeticTests {

	private static final int STEPS = 25_000;

	private static RedisServer server;

	private static SimulatedTime client;

	@BeforeAll
	static void start() {
		server = RedisServer.start();
		client = new SimulatedTime(
				ScriptClients.of(new LettuceConnectionFactory("localhost", server.port()), RedisContract.TIMEOUT));
	}

	@AfterAll
	static void stop() {
		client.close();
		server.close();
	}

	@ParameterizedTest
	@ValueSource(longs = { 1, 2, 3, 4 })
	void decidesAndKeepsWhatTheArithmeticInJavaDoes(long seed) throws StoreFailure {
		RandomSteps steps = new RandomSteps(seed);
		SequentialBucketStore exact = new SequentialBucketStore(client::now);
		RedisStoreSettings settings = new RedisStoreSettings("twin", RedisContract.TIMEOUT, OnFailure.DENY,
				BigDecimal.ONE, 0);
		RedisBucketStore store = new RedisBucketStore(client, SimulatedTime.SCRIPT, settings,
				new InMemoryBucketStore(Ticker.system(), 1), System::nanoTime);
		SharedBuckets kept = new SharedBuckets(new ScriptRunner(client, SimulatedTime.SCRIPT, RedisContract.TIMEOUT),
				new RedisKeys("twin"));
		for (int i = 0; i < STEPS; i++) {
			client.set(steps.elapse());
			List<Charge> charges = steps.charges();
			switch (steps.oneOf(20)) {
				case 0 -> {
					store.refund(charges);
					exact.refund(charges);
				}
				case 1 -> {
					store.reset(charges.get(0).key());
					exact.reset(charges.get(0).key());
				}
				default ->
					assertThat(store.acquire(charges)).as("step %s: %s", i, charges).isEqualTo(exact.acquire(charges));
			}
			List<SharedBucket> found = kept.look(charges.stream().map(Charge::key).toList());
			for (int k = 0; k < found.size(); k++) {
				assertThat(numbers(found.get(k).state())).as("step %s: %s", i, charges)
					.isEqualTo(numbers(exact.state(charges.get(k).key())));
			}
		}
	}

	/** A bucket that nothing was taken from has no moment yet; a full one no period. */
	private static String numbers(@Nullable BucketState state) {
		if (state == null || state.asOf() == Long.MIN_VALUE) {
			return "never taken from";
		}
		return (state.earned() == 0) ? "spent " + state.spent() + ", as of " + state.asOf() : state.toString();
	}

}
