package io.tierlimit.store.redis;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.tierlimit.limit.Rate;
import io.tierlimit.limit.StoreFailurePolicy;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.redis.RedisCluster;
import io.tierlimit.redis.RedisServer;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.Charge;
import io.tierlimit.store.redis.ScriptClient.ScriptCall;

import org.springframework.data.redis.connection.ClusterSlotHashUtil;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Buckets on chosen masters of a {@link RedisCluster}, and their values on its nodes.
 */
final class ClusterBuckets {

	static final int MASTERS = 3;

	/**
	 * Rejects requests while Redis is unavailable. A call without a reply may have been
	 * charged, so that counts would otherwise not be exact.
	 */
	static final RedisStoreSettings DENYING = Instance.settings(StoreFailurePolicy.DENY, 0);

	private static final int SLOTS = 16384;

	private static final String HASH = "return redis.sha1hex(redis.call('GET', KEYS[1]) or 'nothing')";

	private static final RedisKeys NAMES = new RedisKeys(Instance.SETTINGS.keyPrefix());

	private ClusterBuckets() {
	}

	static LettuceConnectionFactory factory(RedisCluster cluster) {
		return new LettuceConnectionFactory(TestConnections.of(cluster));
	}

	/** A running instance that does not decide any request alone. */
	static Instance denyingInstance(RedisCluster cluster) {
		return new Instance(factory(cluster), DENYING).connected();
	}

	/** A charge on a bucket that does not refill during a test. */
	static Charge charge(String rule, String affinityKey, long burst) {
		return new Charge(new BucketKey(rule, affinityKey), new TokenBucket(new Rate(burst, Rate.MAX_PERIOD)), 1);
	}

	/**
	 * An owner whose buckets are initially on a master. Another number results in another
	 * owner.
	 */
	static String affinityKey(int master, int number) {
		return IntStream.iterate(0, (i) -> i + 1)
			.mapToObj((i) -> "owner-" + i)
			.filter((affinityKey) -> isOn(master, affinityKey))
			.skip(number)
			.findFirst()
			.orElseThrow();
	}

	/** Whether a call initially goes to a master. */
	static boolean isOn(int master, ScriptCall call) {
		return ClusterSlotHashUtil.calculateSlot(call.keys().get(0)) * MASTERS / SLOTS == master;
	}

	/** Whether a key is initially on a master. */
	static boolean isOn(int master, String name) {
		return slot(name) * MASTERS / SLOTS == master;
	}

	static int slot(String name) {
		return ClusterSlotHashUtil.calculateSlot(name.getBytes(StandardCharsets.UTF_8));
	}

	static String name(Charge charge) {
		return new String(NAMES.of(charge.key()), StandardCharsets.UTF_8);
	}

	static RedisServer master(RedisCluster cluster, Charge charge) {
		return cluster.masterOf(slot(name(charge)));
	}

	static Set<RedisServer> masters(RedisCluster cluster) {
		return Stream.of(0, SLOTS / 2, SLOTS - 1).map(cluster::masterOf).collect(Collectors.toSet());
	}

	/** A digest of the stored value. */
	static String stored(RedisCluster cluster, Charge charge) {
		return master(cluster, charge).command("EVAL", HASH, "1", name(charge));
	}

	static long count(List<RedisServer> nodes, Predicate<String> command) {
		return nodes.stream()
			.flatMap((node) -> node.calls().entrySet().stream())
			.filter((calls) -> command.test(calls.getKey()))
			.mapToLong((calls) -> calls.getValue())
			.sum();
	}

	/** The number of calls of the script by its digest on all these nodes. */
	static long calls(List<RedisServer> nodes) {
		return count(nodes, "evalsha"::equals);
	}

	static void resetStatistics(RedisCluster cluster) {
		cluster.nodes().forEach(RedisServer::resetStatistics);
	}

	static void empty(RedisCluster cluster) {
		masters(cluster).forEach((master) -> master.command("FLUSHALL"));
	}

	static void assertEveryKeyExpires(RedisCluster cluster) {
		for (RedisServer master : masters(cluster)) {
			// A key that has expired in the meantime is ignored.
			assertThat(master.command("KEYS", "*").lines())
				.allSatisfy((key) -> assertThat(Long.parseLong(master.command("PTTL", key))).isNotEqualTo(-1));
		}
	}

}
