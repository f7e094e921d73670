package io.tierlimit.store.redis;

import io.tierlimit.redis.RedisServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Tests for {@link RedisBucketStore} on one server.
 */
@Tag("slow")
class StandaloneContractTests extends RedisContract {

	private static RedisServer server;

	private static SimulatedTime client;

	@BeforeAll
	static void start() {
		server = RedisServer.start();
		client = new SimulatedTime(ScriptClientFactory.create(new LettuceConnectionFactory("localhost", server.port()),
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
