package io.tierlimit.store.redis;

import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.tierlimit.limit.Rate;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.store.AcquireResult;
import io.tierlimit.store.Charge;
import io.tierlimit.store.ChargeOptions;
import io.tierlimit.store.StoreFailureFlag;
import io.tierlimit.store.redis.Monitor.Executed;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the commands that {@link RedisBucketStore} sends to a server.
 */
class CommandTests extends RedisServerTest {

	private final Charge ten = Instance.ten("ten");

	private final Charge hundred = Instance.of(100, "hundred");

	private Instance instance;

	@BeforeEach
	void start() {
		this.instance = Instance.on(this.server.port());
	}

	@AfterEach
	void stop() {
		this.instance.close();
	}

	@Test
	void everyRequestIsOneCall() {
		assertThat(this.server.calls()).as("the script is sent at startup")
			.containsEntry("eval", 1L)
			.doesNotContainKey("evalsha");
		this.server.resetStatistics();
		assertThat(this.instance.request(50, this.ten, this.hundred)).isEqualTo(Tally.stored(50, 10));
		Map<String, Long> calls = this.server.calls();
		assertThat(calls).containsEntry("evalsha", 50L).containsEntry("time", 50L);
		assertThat(calls).containsEntry("get", 100L).containsEntry("set", 20L);
		assertThat(calls.keySet()).isSubsetOf("evalsha", "time", "get", "set", "info", "config", "config|resetstat");
	}

	/** The numbers of bytes are for one call, with names of 22 characters. */
	@ParameterizedTest
	@CsvSource({ "1, 150, 110", "4, 330, 360" })
	void callHasFewBytes(int tiers, int sent, int received) {
		Charge[] charges = IntStream.range(0, tiers)
			.mapToObj((i) -> Instance.of(1_000_000, "tier-" + i))
			.toArray(Charge[]::new);
		this.instance.request(1, charges);
		this.server.resetStatistics();
		assertThat(this.instance.request(100, charges)).isEqualTo(Tally.stored(100, 100));
		// The traffic of each INFO command is included in the next one.
		long output = TestConnections.info(this.server, "total_net_output_bytes");
		assertThat(output / 100).isLessThanOrEqualTo(received);
		assertThat(TestConnections.info(this.server, "total_net_input_bytes") / 100).isLessThanOrEqualTo(sent);
	}

	@Test
	void requestsRunNothingOutsideOfScripts() {
		this.server.command("SCRIPT", "FLUSH");
		try (Monitor monitor = new Monitor(this.server)) {
			AcquireResult result = this.instance.acquire(this.ten, this.hundred);
			this.instance.left(this.ten);
			this.instance.refund(result);
			this.instance.store.reset(this.ten.key(), new StoreFailureFlag());
			List<Executed> executed = monitor.executed();
			assertThat(executed.stream().filter((each) -> !each.byScript()).map(Executed::name))
				.containsExactly("EVALSHA", "EVAL", "EVALSHA", "EVALSHA", "EVALSHA");
			assertThat(executed.stream().filter(Executed::byScript).map(Executed::name)).containsOnly("TIME", "GET",
					"SET");
		}
	}

	@Test
	void everyChargedBucketIsOneWriteThatExpires() {
		this.instance.request(1, this.ten);
		Charge shadow = Instance.with(ChargeOptions.SHADOW, Instance.ten("shadow"));
		try (Monitor monitor = new Monitor(this.server)) {
			this.instance.request(1, this.ten, this.hundred, shadow);
			List<List<String>> writes = writes(monitor).toList();
			assertThat(writes).hasSize(3);
			assertThat(writes).extracting((words) -> words.get(1))
				.containsExactlyInAnyOrder("tierlimit:ten:{ada}", "tierlimit:hundred:{ada}", "tierlimit:shadow:{ada}");
			assertThat(writes).allSatisfy((words) -> {
				assertThat(words).hasSize(5).element(3).isEqualTo("PX");
				assertThat(words.get(4)).matches("[1-9]\\d*");
			});
		}
	}

	@Test
	void bucketExpiresOneSecondAfterItIsFull() {
		Charge perMinute = new Charge(Instance.ten("minute").key(), new TokenBucket(Rate.parse("10/m")), 4);
		try (Monitor monitor = new Monitor(this.server)) {
			this.instance.request(1, perMinute);
			assertThat(writes(monitor)).extracting((words) -> words.get(4)).containsExactly("25000");
		}
	}

	@Test
	void peekWritesNothing() {
		this.instance.request(3, this.ten);
		try (Monitor monitor = new Monitor(this.server)) {
			assertThat(this.instance.left(this.ten)).isEqualTo(7);
			assertThat(monitor.executed()).extracting(Executed::name).containsExactly("EVALSHA", "TIME", "GET");
		}
	}

	@Test
	void resetOfARuleWithoutBucketsCallsNoScript() {
		this.server.command("SET", "other", "value");
		try (Monitor monitor = new Monitor(this.server)) {
			assertThat(this.instance.store.resetAll("ten")).isTrue();
			assertThat(monitor.executed()).extracting(Executed::name).containsExactly("SCAN");
		}
	}

	private static Stream<List<String>> writes(Monitor monitor) {
		return monitor.executed().stream().filter((each) -> each.name().equals("SET")).map(Executed::words);
	}

}
