package com.example.stand;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.tierlimit.redis.RedisCluster;
import io.tierlimit.redis.RedisSentinels;
import io.tierlimit.redis.RedisServer;
import io.tierlimit.store.BucketStore;
import org.junit.jupiter.api.Test;

import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Starts an instance with Lettuce and an instance with Jedis for each test. They share
 * their buckets.
 */
class StandApplicationTests {

	@Test
	void oneServer() throws Exception {
		try (RedisServer server = RedisServer.start()) {
			assertInstancesShareBuckets("--spring.data.redis.port=" + server.port());
			assertThat(server.command("KEYS", "tierlimit*")).isNotEmpty();
		}
	}

	@Test
	void sentinel() throws Exception {
		try (RedisSentinels sentinels = RedisSentinels.start()) {
			assertInstancesShareBuckets("--spring.data.redis.sentinel.master=" + sentinels.masterName(),
					"--spring.data.redis.sentinel.nodes=" + nodes(sentinels.sentinelPorts()));
		}
	}

	@Test
	void cluster() throws Exception {
		try (RedisCluster cluster = RedisCluster.start()) {
			assertInstancesShareBuckets("--spring.data.redis.cluster.nodes=" + nodes(cluster.ports()));
		}
	}

	private static void assertInstancesShareBuckets(String... arguments) throws Exception {
		try (ConfigurableApplicationContext one = start("lettuce", arguments);
				ConfigurableApplicationContext other = start("jedis", arguments)) {
			assertThat(one.getBean(BucketStore.class).name()).isEqualTo("redis");
			assertThat(other.getBean(BucketStore.class).name()).isEqualTo("redis");
			HttpResponse<String> first = get(one);
			assertThat(first.statusCode()).isEqualTo(200);
			assertThat(first.headers().firstValue("RateLimit").orElseThrow()).contains("\"per-ip\";r=1;t=");
			assertThat(get(other).statusCode()).isEqualTo(200);
			HttpResponse<String> rejected = get(one);
			assertThat(rejected.statusCode()).isEqualTo(429);
			assertThat(rejected.body()).contains("\"violated-policies\":[\"per-ip\"]");
		}
	}

	private static ConfigurableApplicationContext start(String client, String... arguments) {
		return SpringApplication.run(StandApplication.class,
				Stream.concat(Stream.of(arguments), Stream.of("--server.port=0", "--spring.data.redis.client-type=" + client))
					.toArray(String[]::new));
	}

	private static String nodes(List<Integer> ports) {
		return ports.stream().map((port) -> "127.0.0.1:" + port).collect(Collectors.joining(","));
	}

	private static HttpResponse<String> get(ConfigurableApplicationContext stand)
			throws IOException, InterruptedException {
		String port = stand.getEnvironment().getRequiredProperty("local.server.port");
		HttpRequest request = HttpRequest.newBuilder(URI.create("http://localhost:" + port + "/cakes")).build();
		return HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
	}

}
