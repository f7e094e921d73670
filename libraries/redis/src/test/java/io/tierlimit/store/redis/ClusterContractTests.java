package io.tierlimit.store.redis;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Tests for {@link RedisBucketStore} on a Redis Cluster.
 */
@Tag("slow")
class ClusterContractTests extends RedisContract {

	private static SimulatedTime client;

	@BeforeAll
	static void start() {
		client = new SimulatedTime(ScriptClientFactory.create(
				new LettuceConnectionFactory(TestConnections.of(RedisClusterTest.cluster)), TestConnections.TIMEOUT));
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
