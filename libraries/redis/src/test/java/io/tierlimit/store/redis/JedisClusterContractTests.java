package io.tierlimit.store.redis;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/**
 * Tests for {@link RedisBucketStore} on a Redis Cluster, over Jedis. They run before a
 * release: {@link ClusterContractTests} tests the cluster, {@link JedisContractTests} the
 * client, and {@link JedisClusterTests} what depends on both.
 */
@Tag("slow")
class JedisClusterContractTests extends RedisContract {

	private static SimulatedTime client;

	@BeforeAll
	static void start() {
		client = new SimulatedTime(
				ScriptClientFactory.create(TestConnections.jedis(RedisClusterTest.cluster), TestConnections.TIMEOUT));
	}

	@AfterAll
	static void stop() {
		client.close();
	}

	@Override
	SimulatedTime client() {
		return client;
	}

}
