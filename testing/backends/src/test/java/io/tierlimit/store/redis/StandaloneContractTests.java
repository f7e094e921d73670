package io.tierlimit.store.redis;

import io.tierlimit.redis.RedisServer;
import org.junit.jupiter.api.Tag;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Tests for {@link RedisBucketStore} on one server.
 */
@Tag("slow")
class StandaloneContractTests extends RedisContract {

	/** Ends with the JVM. */
	static final RedisServer server = RedisServer.start();

	@Override
	RedisConnectionFactory connections() {
		return new LettuceConnectionFactory("localhost", server.port());
	}

}
