package io.tierlimit.store.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

import io.tierlimit.store.BucketKey;
import io.tierlimit.store.Charge;
import io.tierlimit.store.StoreStatus.Failure;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RedisBucketStore} on a Redis Cluster, as a user with only the rights
 * that {@code docs/redis.md} documents.
 */
@ExtendWith(OutputCaptureExtension.class)
class ClusterPrivilegeTests extends RedisClusterTest {

	private static final List<String> MORE = List.of("+del", "+cluster|nodes");

	@Test
	void documentedRightsAreSufficient() {
		createUser("enough", MORE);
		try (Instance instance = new Instance(new LettuceConnectionFactory(configuration("enough")),
				Instance.COUNTED)) {
			instance.awaitInstances(1);
			assertThat(worksAltogether(instance, "enough")).isTrue();
		}
	}

	@Test
	void searchForKeysRequiresTheNodes() {
		try (Instance instance = instance("nodes", List.of("+del"))) {
			assertThat(worksAltogether(instance, "nodes")).isFalse();
		}
	}

	@Test
	void missingRightForRefundsIsLoggedOnceWithTheErrorOfRedis(CapturedOutput output) {
		OutageLog log = new OutageLog(output);
		try (Instance instance = instance("words", List.of("+cluster|nodes"))) {
			Charge exhausted = ClusterBuckets.charge("words", ClusterBuckets.affinityKey(1, 0), 1);
			assertThat(instance.request(1, exhausted)).isEqualTo(Tally.stored(1, 1));
			for (int i = 0; i < 20; i++) {
				instance.acquire(ClusterBuckets.charge("words", ClusterBuckets.affinityKey(0, i), 1), exhausted);
			}
			Failure failure = Objects.requireNonNull(instance.store.status().lastFailure());
			assertThat(failure.reason()).contains("can't run this command");
			assertThat(output).contains("cannot be reached (" + failure.reason() + ")");
			assertThat(log.begun()).isOne();
		}
	}

	@Test
	void jedisRequiresClusterSlots() {
		List<String> more = new ArrayList<>(MORE);
		more.add("+cluster|slots");
		createUser("jedis", more);
		JedisPrivilegeTests.assertWorksAltogether(
				TestConnections.started(new JedisConnectionFactory(configuration("jedis"), TestConnections.JEDIS)));
	}

	/**
	 * Acquires over several slots, refunds if one of them rejects the charge, and finds
	 * all keys.
	 */
	private static boolean worksAltogether(Instance instance, String rule) {
		Charge few = Instance.ten(rule);
		Charge[] spread = Stream.of("a", "b", "c", "d")
			.map((key) -> new Charge(new BucketKey(rule, key), few.limit(), 1))
			.toArray(Charge[]::new);
		boolean works = instance.request(10, few).equals(Tally.stored(10, 10));
		Charge[] rejected = Stream.concat(Stream.of(spread), Stream.of(few)).toArray(Charge[]::new);
		works &= instance.request(1, rejected).equals(Tally.stored(1, 0));
		works &= instance.left(spread[0]) == 10;
		works &= instance.store.resetAll(rule);
		return works && instance.left(few) == 10;
	}

	private static Instance instance(String name, List<String> more) {
		createUser(name, more);
		return new Instance(new LettuceConnectionFactory(configuration(name)), Instance.SETTINGS);
	}

	private static void createUser(String name, List<String> more) {
		List<String> commands = new ArrayList<>(LeastPrivilegeTests.COMMANDS);
		commands.addAll(more);
		cluster.nodes().forEach((node) -> LeastPrivilegeTests.createUser(node, name, commands));
	}

	private static RedisClusterConfiguration configuration(String name) {
		RedisClusterConfiguration configuration = TestConnections.of(cluster);
		configuration.setUsername(name);
		configuration.setPassword("secret");
		return configuration;
	}

}
