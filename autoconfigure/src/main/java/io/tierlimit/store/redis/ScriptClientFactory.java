package io.tierlimit.store.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.util.ClassUtils;

/**
 * Creates the client for a connection factory.
 */
final class ScriptClientFactory {

	private static final Log logger = LogFactory.getLog(RedisBucketStore.class);

	private static final boolean LETTUCE = ClassUtils.isPresent("io.lettuce.core.RedisClient",
			ScriptClientFactory.class.getClassLoader());

	private static final boolean JEDIS = ClassUtils.isPresent("redis.clients.jedis.Jedis",
			ScriptClientFactory.class.getClassLoader());

	private ScriptClientFactory() {
	}

	static ScriptClient create(RedisConnectionFactory factory, Duration timeout) {
		if (LETTUCE && factory instanceof LettuceConnectionFactory lettuce) {
			return new LettuceScriptClient(DerivedConnectionFactory.of(lettuce, timeout));
		}
		if (JEDIS && factory instanceof JedisConnectionFactory jedis) {
			List<String> exceeding = JedisTimeouts.exceeding(timeout, jedis);
			if (!exceeding.isEmpty()) {
				warn("Jedis waits " + String.join(", ", exceeding), timeout);
			}
			return new BlockingScriptClient(factory, jedis.isRedisClusterAware());
		}
		warn(factory.getClass().getName() + " waits as long as it is configured to", timeout);
		return new BlockingScriptClient(factory, false);
	}

	private static void warn(String waits, Duration timeout) {
		logger.warn(waits + ", so requests may wait longer for Redis than the " + timeout.toMillis()
				+ " ms of tierlimit.redis.timeout. Shorten spring.data.redis.timeout, spring.data.redis.connect-timeout "
				+ "and spring.data.redis.jedis.pool.max-wait, or use Lettuce, which applies tierlimit.redis.timeout itself.");
	}

	/**
	 * The timeouts of Jedis. A separate class, because Jedis is optional.
	 */
	private static final class JedisTimeouts {

		/** The waits of Jedis that exceed the timeout of the store, as text. */
		static List<String> exceeding(Duration timeout, JedisConnectionFactory factory) {
			List<String> exceeding = new ArrayList<>();
			JedisClientConfiguration settings = factory.getClientConfiguration();
			addSocketWait("a reply", settings.getReadTimeout(), timeout, exceeding);
			addSocketWait("a connection", settings.getConnectTimeout(), timeout, exceeding);
			GenericObjectPoolConfig<?> pool = factory.getPoolConfig();
			if (pool != null && pool.getBlockWhenExhausted()) {
				Duration wait = pool.getMaxWaitDuration();
				add("one of the pool's connections", wait, wait.isNegative(), timeout, exceeding);
			}
			return exceeding;
		}

		private static void addSocketWait(String what, Duration wait, Duration timeout, List<String> exceeding) {
			add(what, wait, wait.isZero(), timeout, exceeding);
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

}
