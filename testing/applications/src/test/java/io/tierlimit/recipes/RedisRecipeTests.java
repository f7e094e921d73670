package io.tierlimit.recipes;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

import io.tierlimit.application.DocumentationPage;
import io.tierlimit.application.RunningApplication;
import io.tierlimit.application.RunningApplication.Response;
import io.tierlimit.redis.RedisCluster;
import io.tierlimit.redis.RedisSentinels;
import io.tierlimit.redis.RedisServer;
import io.tierlimit.redis.TlsEnd;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The recipes for Redis, with real servers.
 */
@Tag("slow")
class RedisRecipeTests {

	private static final String HEADING = "Use Redis Cluster, Sentinel, or TLS with a user (ElastiCache, Azure, Upstash)";

	@Test
	void tlsWithAUser(@TempDir Path directory) throws Exception {
		try (RedisServer server = RedisServer.start(); TlsEnd tls = new TlsEnd(directory, server.port())) {
			server.command(DocumentationPage.of("recipes").section(HEADING).blocks("text").get(0).strip().split(" "));
			decide("redis-tls", "REDIS_HOST=localhost", "REDIS_PORT=" + tls.port(), "REDIS_USER=limiter",
					"REDIS_PASSWORD=secret", "spring.data.redis.ssl.bundle=redis",
					"spring.ssl.bundle.jks.redis.truststore.location=" + tls.trusted().toUri(),
					"spring.ssl.bundle.jks.redis.truststore.password=secret");
			assertThat(buckets(server)).containsExactly("shop:per-ip:{127.0.0.1}");
		}
	}

	@Test
	void cluster() {
		try (RedisCluster cluster = RedisCluster.start()) {
			decide("redis-cluster", "REDIS_NODES=" + addresses(cluster.ports().subList(0, 2)));
			assertThat(cluster.nodes().stream().anyMatch((node) -> !buckets(node).isEmpty())).isTrue();
		}
	}

	@Test
	void sentinel() {
		try (RedisSentinels sentinels = RedisSentinels.start()) {
			decide("redis-sentinel", "REDIS_MASTER=" + sentinels.masterName(),
					"REDIS_SENTINELS=" + addresses(sentinels.sentinelPorts()));
			assertThat(buckets(sentinels.master())).hasSize(1);
		}
	}

	@Test
	void severalConnectionFactories() {
		try (RedisServer cache = RedisServer.start(); RedisServer limits = RedisServer.start()) {
			decide(WithTwoServers.class, "several-redis", "cache.redis.host=localhost",
					"cache.redis.port=" + cache.port(), "limits.redis.host=localhost",
					"limits.redis.port=" + limits.port());
			assertThat(buckets(limits)).hasSize(1);
			assertThat(cache.command("DBSIZE")).isEqualTo("0");
		}
	}

	@Test
	void serviceConnection() {
		try (RedisServer server = RedisServer.start()) {
			decide(WithDiscoveredServer.class, "service-connection", "discovered.port=" + server.port(),
					"spring.data.redis.port=1");
			assertThat(buckets(server)).hasSize(1);
		}
	}

	/** All keys except for the key of the instances. */
	private static List<String> buckets(RedisServer server) {
		return server.command("KEYS", "*").lines().filter((key) -> !key.endsWith(":(members)")).toList();
	}

	private static void decide(String yaml, String... properties) {
		decide(RecipeApplication.class, yaml, properties);
	}

	/**
	 * Asserts that Redis decides: if Redis were unavailable, the request would be
	 * rejected.
	 */
	private static void decide(Class<?> application, String yaml, String... properties) {
		try (RunningApplication instance = Recipe.start(application, yaml, all(properties))) {
			Response response = instance.get("/api/products");
			assertThat(response.status()).isEqualTo(200);
			assertThat(response.rateLimit().get("per-ip")).containsEntry("r", 59L);
		}
	}

	private static String[] all(String... properties) {
		String[] all = new String[properties.length + 3];
		System.arraycopy(properties, 0, all, 3, properties.length);
		all[0] = "tierlimit.store=auto";
		all[1] = "tierlimit.redis.timeout=5s";
		all[2] = "tierlimit.redis.on-store-failure=deny";
		return all;
	}

	private static String addresses(List<Integer> ports) {
		return ports.stream().map((port) -> "localhost:" + port).collect(Collectors.joining(","));
	}

	@Configuration(proxyBeanMethods = false)
	@Import({ RecipeApplication.class, DiscoveredRedis.class })
	static class WithDiscoveredServer {

	}

	@Configuration(proxyBeanMethods = false)
	@Import({ RecipeApplication.class, RedisConnections.class })
	static class WithTwoServers {

	}

}
