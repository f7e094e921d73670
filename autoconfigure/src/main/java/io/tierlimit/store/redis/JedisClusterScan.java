package io.tierlimit.store.redis;

import java.nio.charset.StandardCharsets;
import java.util.List;

import redis.clients.jedis.ScanIteration;
import redis.clients.jedis.UnifiedJedis;

/**
 * Finds keys on all nodes of a Redis Cluster by Jedis. Spring Data Redis has a cursor for
 * one node, whose connection others may use meanwhile.
 */
final class JedisClusterScan {

	private JedisClusterScan() {
	}

	static void run(Object connection, String pattern, int page, Deadline deadline, ScriptClient.Pages pages)
			throws StoreFailure {
		if (!(connection instanceof UnifiedJedis jedis)) {
			throw new StoreFailure("keys can't be searched for with " + connection.getClass().getName(), null);
		}
		ScanIteration iteration = jedis.scanIteration(page, pattern);
		while (!iteration.isIterationCompleted()) {
			List<byte[]> keys = iteration.nextBatchList()
				.stream()
				.map((key) -> key.getBytes(StandardCharsets.UTF_8))
				.toList();
			deadline.check();
			pages.accept(keys);
		}
	}

}
