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
 * Makes the client that suits a connection factory.
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
			List<String> longer = JedisTimeouts.longerThan(timeout, jedis);
			if (!longer.isEmpty()) {
				warn("Jedis waits " + String.join(", ", longer), timeout);
			}
			return new BlockingScriptClient(factory, jedis.isRedisClusterAware());
		}
		warn(factory.getClass().getName() + " waits as long as it is set to", timeout);
		return new BlockingScriptClient(factory, false);
	}

	private static void warn(String budget, Duration timeout) {
		logger.warn(budget + ", so requests may wait longer for Redis than the " + timeout.toMillis()
				+ " ms of tierlimit.redis.timeout. Shorten spring.data.redis.timeout, spring.data.redis.connect-timeout "
				+ "and spring.data.redis.jedis.pool.max-wait, or use Lettuce, which needs none of it.");
	}

	/**
	 * How long Jedis lets a request wait. A class of its own, since Jedis is optional.
	 */
	private static final class JedisTimeouts {

		/** What Jedis waits for longer than the store should, in words. */
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

}
