package io.tierlimit.store.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.apache.commons.pool2.impl.GenericObjectPoolConfig;

import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

/**
 * How long Jedis lets a request wait.
 */
final class JedisTimeouts {

	private JedisTimeouts() {
	}

	/** What Jedis waits for longer than the store should, in words; empty if nothing. */
	static List<String> longerThan(Duration timeout, JedisConnectionFactory factory) {
		List<String> longer = new ArrayList<>();
		JedisClientConfiguration settings = factory.getClientConfiguration();
		addSocketWait("an answer", settings.getReadTimeout(), timeout, longer);
		addSocketWait("a connection", settings.getConnectTimeout(), timeout, longer);
		GenericObjectPoolConfig<?> pool = factory.getPoolConfig();
		if (pool != null && pool.getBlockWhenExhausted()) {
			Duration wait = pool.getMaxWaitDuration();
			add("one of the pool's connections", wait, wait.isNegative(), timeout, longer);
		}
		return longer;
	}

	private static void addSocketWait(String what, Duration wait, Duration timeout, List<String> longer) {
		add(what, wait, wait.isZero(), timeout, longer);
	}

	private static void add(String what, Duration wait, boolean endless, Duration timeout, List<String> longer) {
		if (endless) {
			longer.add("without end for " + what);
		}
		else if (wait.compareTo(timeout) > 0) {
			longer.add(wait.toMillis() + " ms for " + what);
		}
	}

}
