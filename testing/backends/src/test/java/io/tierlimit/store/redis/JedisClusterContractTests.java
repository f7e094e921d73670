package io.tierlimit.store.redis;

import org.junit.jupiter.api.Tag;

import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Tests for {@link RedisBucketStore} on a Redis Cluster, over Jedis. They run before a
 * release: {@link ClusterContractTests} tests the cluster, and {@link JedisClusterTests}
 * what depends on the client.
 */
@Tag("slow")
class JedisClusterContractTests extends RedisContract {

	@Override
	RedisConnectionFactory connections() {
		return TestConnections.jedis(RedisClusterTest.cluster);
	}

}
