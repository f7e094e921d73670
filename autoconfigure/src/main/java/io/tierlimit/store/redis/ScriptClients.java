package io.tierlimit.store.redis;

import java.time.Duration;
import java.util.List;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.util.ClassUtils;

/**
 * Finds the client that suits a connection factory.
 */
final class ScriptClients {

	private static final Log logger = LogFactory.getLog(RedisBucketStore.class);

	private static final boolean LETTUCE = ClassUtils.isPresent("io.lettuce.core.RedisClient",
			ScriptClients.class.getClassLoader());

	private static final boolean JEDIS = ClassUtils.isPresent("redis.clients.jedis.Jedis",
			ScriptClients.class.getClassLoader());

	private ScriptClients() {
	}

	static ScriptClient of(RedisConnectionFactory factory, Duration timeout) {
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

	private static void warn(String waits, Duration timeout) {
		logger.warn(waits + ", so requests may wait longer for Redis than the " + timeout.toMillis()
				+ " ms of tierlimit.redis.timeout. Shorten spring.data.redis.timeout, spring.data.redis.connect-timeout "
				+ "and spring.data.redis.jedis.pool.max-wait, or use Lettuce, which needs none of it.");
	}

}
