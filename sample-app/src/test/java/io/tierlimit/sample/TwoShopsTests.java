package io.tierlimit.sample;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;

import io.tierlimit.junit.Poll;
import io.tierlimit.redis.RedisServer;
import io.tierlimit.store.StoreStatus;
import io.tierlimit.store.redis.RedisBucketStore;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests {@code application-redis.yml}: two shops share their limits until Redis is
 * stopped.
 */
@Tag("slow")
class TwoShopsTests {

	private static final HttpClient CLIENT = HttpClient.newHttpClient();

	private static RedisServer redis;

	private static ConfigurableApplicationContext one;

	private static ConfigurableApplicationContext other;

	@BeforeAll
	static void start() {
		redis = RedisServer.start();
		one = open();
		other = open();
	}

	@AfterAll
	static void stop() {
		one.close();
		other.close();
		redis.close();
	}

	private static ConfigurableApplicationContext open() {
		return new SpringApplicationBuilder(SampleApplication.class).profiles("redis")
			.run("--server.port=0", "--spring.data.redis.port=" + redis.port(), "--tierlimit.redis.timeout=5s");
	}

	@Test
	void shopsShareTheirLimitsUntilRedisIsUnavailable() throws IOException, InterruptedException {
		for (int i = 0; i < 3; i++) {
			assertThat(get(one, "/api/search?q=cup").statusCode()).isEqualTo(200);
		}
		assertThat(get(other, "/api/search?q=cup").statusCode()).isEqualTo(200);
		assertThat(get(other, "/api/search?q=cup").statusCode()).isEqualTo(200);
		assertThat(get(one, "/api/search?q=cup").statusCode()).isEqualTo(429);
		assertThat(get(other, "/api/search?q=cup").statusCode()).isEqualTo(429);
		assertThat(login(one).statusCode()).isEqualTo(401);

		awaitNumber(one, 2);
		redis.kill();
		HttpResponse<String> alone = get(one, "/api/products/1");
		assertThat(alone.statusCode()).isEqualTo(200);
		assertThat(alone.headers().firstValue("RateLimit-Policy")).hasValue("\"per-address\";q=60;w=86400");
		assertThat(login(one).statusCode()).isEqualTo(503);
	}

	/**
	 * Renews the membership of a shop again and again, without waiting for the interval,
	 * until Redis shows a number of shops.
	 */
	private static void awaitNumber(ConfigurableApplicationContext shop, int number) {
		RedisBucketStore store = shop.getBean(RedisBucketStore.class);
		store.leave();
		store.join();
		Poll.until(() -> {
			StoreStatus.LocalShare share = store.status().localShare();
			return share != null && Integer.valueOf(number).equals(share.instances());
		}, () -> String.valueOf(store.status()));
	}

	private static HttpResponse<String> get(ConfigurableApplicationContext shop, String path)
			throws IOException, InterruptedException {
		return CLIENT.send(request(shop, path).build(), BodyHandlers.ofString());
	}

	private static HttpResponse<String> login(ConfigurableApplicationContext shop)
			throws IOException, InterruptedException {
		return CLIENT.send(request(shop, "/api/login").header("Content-Type", "application/x-www-form-urlencoded")
			.POST(BodyPublishers.ofString("username=fred&password=guess"))
			.build(), BodyHandlers.ofString());
	}

	private static HttpRequest.Builder request(ConfigurableApplicationContext shop, String path) {
		String port = shop.getEnvironment().getRequiredProperty("local.server.port");
		return HttpRequest.newBuilder(URI.create("http://" + Shop.HERE + ":" + port + path));
	}

}
