package io.tierlimit.store.redis;

import io.tierlimit.redis.RedisServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/**
 * Tests for {@link RedisBucketStore} on one server, over Jedis.
 */
@Tag("slow")
class JedisContractTests extends RedisContract {

	private static RedisServer server;

	private static SimulatedTime client;

	@BeforeAll
	static void start() {
		server = RedisServer.start();
		client = new SimulatedTime(ScriptClientFactory.create(TestConnections.jedis(server), TestConnections.TIMEOUT));
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
