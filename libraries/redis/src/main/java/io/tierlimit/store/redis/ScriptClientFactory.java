package io.tierlimit.store.redis;

import java.time.Duration;
import java.util.List;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Creates the client for a connection factory.
 */
final class ScriptClientFactory {

	private static final Log logger = LogFactory.getLog(RedisBucketStore.class);

	private ScriptClientFactory() {
	}

	static ScriptClient create(RedisConnectionFactory factory, Duration timeout) {
		if (factory instanceof LettuceConnectionFactory lettuce) {
			return new LettuceScriptClient(DerivedConnectionFactory.of(lettuce, timeout));
		}
		if (factory instanceof JedisConnectionFactory jedis) {
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

}
