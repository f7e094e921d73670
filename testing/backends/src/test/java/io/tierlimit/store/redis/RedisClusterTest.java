package io.tierlimit.store.redis;

import io.tierlimit.redis.RedisCluster;
import org.junit.jupiter.api.Tag;

/**
 * Tests with a Redis Cluster that all such tests of the JVM share. They leave each slot
 * at its initial master.
 */
@Tag("slow")
abstract class RedisClusterTest {

	/** Ends with the JVM. */
	static final RedisCluster cluster = RedisCluster.start();

}
