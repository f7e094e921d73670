package io.tierlimit.store.redis;

import org.junit.jupiter.api.Tag;

import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Tests for {@link RedisBucketStore} on a Redis Cluster.
 */
@Tag("slow")
class ClusterContractTests extends RedisContract {

	@Override
	RedisConnectionFactory connections() {
		return ClusterBuckets.factory(RedisClusterTest.cluster);
	}

}
