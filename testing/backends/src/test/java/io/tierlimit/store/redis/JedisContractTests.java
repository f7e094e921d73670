package io.tierlimit.store.redis;

import org.junit.jupiter.api.Tag;

import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Tests for {@link RedisBucketStore} on one server, over Jedis. They run before a
 * release: {@link StandaloneContractTests} tests the script, and
 * {@link JedisPrivilegeTests}, {@link JedisOutageTests} and {@link JedisClusterTests} the
 * client.
 */
@Tag("slow")
class JedisContractTests extends RedisContract {

	@Override
	RedisConnectionFactory connections() {
		return TestConnections.jedis(StandaloneContractTests.server);
	}

}
