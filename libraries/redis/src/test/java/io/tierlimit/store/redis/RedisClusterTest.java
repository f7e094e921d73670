package io.tierlimit.store.redis;

import io.tierlimit.redis.RedisCluster;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/**
 * Tests with a Redis Cluster that all tests of a class share.
 */
@Tag("slow")
abstract class RedisClusterTest {

	static RedisCluster cluster;

	@BeforeAll
	static void startCluster() {
		cluster = RedisCluster.start();
	}

	@AfterAll
	static void stopCluster() {
		cluster.close();
	}

}
