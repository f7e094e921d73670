package io.tierlimit.store.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.apache.commons.pool2.impl.GenericObjectPoolConfig;

import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

/**
 * The timeouts of Jedis, which does not apply the timeout of the store.
 */
final class JedisTimeouts {

	private JedisTimeouts() {
	}

	/** Describes the waits of Jedis that exceed the timeout of the store. */
	static List<String> exceeding(Duration timeout, JedisConnectionFactory factory) {
		List<String> exceeding = new ArrayList<>();
		JedisClientConfiguration settings = factory.getClientConfiguration();
		Duration reply = settings.getReadTimeout();
		add("a reply", reply, reply.isZero(), timeout, exceeding);
		Duration connect = settings.getConnectTimeout();
		add("a connection", connect, connect.isZero(), timeout, exceeding);
		GenericObjectPoolConfig<?> pool = factory.getPoolConfig();
		if (pool != null && pool.getBlockWhenExhausted()) {
			Duration wait = pool.getMaxWaitDuration();
			add("one of the pool's connections", wait, wait.isNegative(), timeout, exceeding);
		}
		return exceeding;
	}

	private static void add(String what, Duration wait, boolean endless, Duration timeout, List<String> exceeding) {
		if (endless) {
			exceeding.add("indefinitely for " + what);
		}
		else if (wait.compareTo(timeout) > 0) {
			exceeding.add(wait.toMillis() + " ms for " + what);
		}
	}

}
