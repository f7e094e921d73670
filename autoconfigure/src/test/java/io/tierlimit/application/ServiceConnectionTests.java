package io.tierlimit.application;

import io.tierlimit.redis.RedisCluster;
import io.tierlimit.redis.RedisServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.context.support.GenericApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests the store in Redis with the connection details that Spring Boot creates for
 * {@code @ServiceConnection} and Docker Compose. They replace the properties.
 */
@Tag("slow")
class ServiceConnectionTests {

	@ParameterizedTest
	@ValueSource(strings = { "lettuce", "jedis" })
	void storeUsesTheServerOfTheDetails(String client) {
		try (RedisServer server = RedisServer.start("--requirepass", "secret")) {
			assertDecides(new DataRedisConnectionDetails() {

				@Override
				public String getPassword() {
					return "secret";
				}

				@Override
				public Standalone getStandalone() {
					return Standalone.of("localhost", server.port(), 3);
				}

			}, "spring.data.redis.client-type=" + client);
			assertThat(server.command("INFO", "keyspace")).contains("db3:keys=1");
		}
	}

	@Test
	void storeUsesTheClusterOfTheDetails() {
		try (RedisCluster cluster = RedisCluster.start()) {
			assertDecides(new DataRedisConnectionDetails() {

				@Override
				public Cluster getCluster() {
					return () -> cluster.ports()
						.stream()
						.map((port) -> new DataRedisConnectionDetails.Node("localhost", port))
						.toList();
				}

			});
			assertThat(cluster.nodes().stream().anyMatch((node) -> !node.command("DBSIZE").equals("0"))).isTrue();
		}
	}

	/** Fails unless Redis decides: its failure would reject the request. */
	private static void assertDecides(DataRedisConnectionDetails details, String... properties) {
		SpringApplicationBuilder application = new SpringApplicationBuilder(TestApplication.class)
			.initializers((context) -> ((GenericApplicationContext) context)
				.registerBean(DataRedisConnectionDetails.class, () -> details));
		String[] all = RunningApplication.with(properties, "tierlimit.store=auto", "tierlimit.redis.timeout=5s",
				"tierlimit.redis.on-failure=deny", "spring.data.redis.host=no.such.host.invalid",
				"tierlimit.rules.all.rate=10/d");
		try (RunningApplication running = RunningApplication.start(application, all)) {
			assertThat(running.get("/any").rateLimit().get("all")).containsEntry("r", 9L);
		}
	}

}
