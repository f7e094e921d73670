package io.tierlimit.store.redis;

import io.tierlimit.redis.RedisCluster;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Tests for {@link RedisBucketStore} on a Redis Cluster.
 */
@Tag("slow")
class ClusterContractTests extends RedisContract {

	private static RedisCluster server;

	private static SimulatedTime client;

	@BeforeAll
	static void start() {
		server = RedisCluster.start();
		client = new SimulatedTime(ScriptClientFactory.create(new LettuceConnectionFactory(TestConnections.of(server)),
				TestConnections.TIMEOUT));
	}

	@AfterAll
	static void stop() {
		client.close();
		server.close();
	}

	@Override
	SimulatedTime client() {
		return client;
	}

}
