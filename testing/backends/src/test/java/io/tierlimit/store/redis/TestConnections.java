package io.tierlimit.store.redis;

import java.time.Duration;
import java.util.List;

import io.tierlimit.redis.RedisCluster;
import io.tierlimit.redis.RedisServer;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Connection factories as an application has them.
 */
final class TestConnections {

	/** A timeout that is long enough for tests in which no call times out. */
	static final Duration TIMEOUT = Duration.ofSeconds(5);

	static final JedisClientConfiguration JEDIS = jedis(TIMEOUT, new GenericObjectPoolConfig<>());

	private TestConnections() {
	}

	/** A number that the server reports about itself. */
	static long info(RedisServer server, String name) {
		return info(server.command("INFO"), name);
	}

	static long info(String info, String name) {
		return info.lines()
			.filter((line) -> line.startsWith(name + ":"))
			.mapToLong((line) -> Long.parseLong(line.substring(name.length() + 1)))
			.findFirst()
			.orElseThrow();
	}

	/** A client of a server over Lettuce, with its own connection. */
	static ScriptClient client(int port) {
		return ScriptClientFactory.create(new LettuceConnectionFactory("localhost", port), TIMEOUT);
	}

	static RedisClusterConfiguration of(RedisCluster cluster) {
		List<String> nodes = cluster.ports().stream().map((port) -> "localhost:" + port).toList();
		return new RedisClusterConfiguration(nodes);
	}

	/** A configuration of Jedis with a timeout for replies and for connections. */
	static JedisClientConfiguration jedis(Duration timeout, GenericObjectPoolConfig<?> pool) {
		return JedisClientConfiguration.builder()
			.readTimeout(timeout)
			.connectTimeout(timeout)
			.usePooling()
			.poolConfig(pool)
			.build();
	}

	static JedisConnectionFactory jedis(RedisServer server) {
		return started(new JedisConnectionFactory(new RedisStandaloneConfiguration("localhost", server.port()), JEDIS));
	}

	static JedisConnectionFactory jedis(RedisCluster cluster) {
		return started(new JedisConnectionFactory(of(cluster), JEDIS));
	}

	static JedisConnectionFactory started(JedisConnectionFactory factory) {
		factory.afterPropertiesSet();
		factory.start();
		return factory;
	}

}
