package io.tierlimit.sample;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Collections;

import io.tierlimit.PermitRequest;
import io.tierlimit.RateLimiter;
import io.tierlimit.junit.Poll;
import io.tierlimit.redis.RedisServer;
import io.tierlimit.store.StoreStatus;
import io.tierlimit.store.redis.RedisBucketStore;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests {@code application-redis.yml}: two shops share their limits, and the rate of
 * written price lists, until Redis is stopped.
 */
@Tag("slow")
class TwoShopsTests {

	private static final HttpClient CLIENT = HttpClient.newHttpClient();

	private final RedisServer redis = RedisServer.start();

	private final ConfigurableApplicationContext one = open();

	private final ConfigurableApplicationContext other = open();

	private ConfigurableApplicationContext open() {
		return new SpringApplicationBuilder(SampleApplication.class).profiles("redis")
			.run("--server.port=0", "--spring.data.redis.port=" + this.redis.port(), "--tierlimit.redis.timeout=5s",
					"--tierlimit.rules.imports.rate=10/d");
	}

	@AfterEach
	void stop() {
		this.one.close();
		this.other.close();
		this.redis.close();
	}

	@Test
	void shopsShareTheirLimitsUntilRedisIsUnavailable() throws IOException, InterruptedException {
		for (int i = 0; i < 3; i++) {
			assertThat(get(this.one, "/api/search?q=cup").statusCode()).isEqualTo(200);
		}
		assertThat(get(this.other, "/api/search?q=cup").statusCode()).isEqualTo(200);
		assertThat(get(this.other, "/api/search?q=cup").statusCode()).isEqualTo(200);
		assertThat(get(this.one, "/api/search?q=cup").statusCode()).isEqualTo(429);
		assertThat(get(this.other, "/api/search?q=cup").statusCode()).isEqualTo(429);
		assertThat(login(this.one).statusCode()).isEqualTo(401);

		awaitNumber(this.one, 2);
		this.redis.kill();
		HttpResponse<String> alone = get(this.one, "/api/products/1");
		assertThat(alone.statusCode()).isEqualTo(200);
		assertThat(alone.headers().firstValue("RateLimit-Policy")).hasValue("\"per-address\";q=60;w=86400");
		assertThat(login(this.one).statusCode()).isEqualTo(503);
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

	private static HttpResponse<String> login(ConfigurableApplicationContext shop)
			throws IOException, InterruptedException {
		return send(request(shop, "/api/login").header("Content-Type", "application/x-www-form-urlencoded")
			.POST(BodyPublishers.ofString("username=fred&password=guess")));
	}

	@Test
	void closedShopRefundsTheReservationsOfItsImports() throws IOException, InterruptedException {
		String list = upload(30);
		Poll.until(() -> isBucketOwing(this.other), () -> "Nothing is reserved");
		assertThat(send(partner(list)).body()).contains("\"written\":20,");
		upload(5);
		upload(5);
		this.one.close();
		assertThat(isBucketOwing(this.other)).isFalse();
	}

	/** Uploads a price list to the first shop, and returns the address of its import. */
	private String upload(int rows) throws IOException, InterruptedException {
		String list = String.join(",", Collections.nCopies(rows, "{\"product\":1,\"price\":9.90}"));
		HttpResponse<String> response = send(partner("/api/imports").header("Content-Type", "application/json")
			.POST(BodyPublishers.ofString("[" + list + "]")));
		assertThat(response.statusCode()).isEqualTo(202);
		return response.headers().firstValue("Location").orElseThrow();
	}

	private HttpRequest.Builder partner(String path) {
		return request(this.one, path).header("X-Partner-Key", "k-3141");
	}

	private static boolean isBucketOwing(ConfigurableApplicationContext shop) {
		Duration wait = shop.getBean(RateLimiter.class)
			.peek(PermitRequest.of("imports"))
			.decisions()
			.get(0)
			.decision()
			.retryAfter();
		return wait != null && wait.compareTo(Duration.ofDays(1)) > 0;
	}

	private static HttpResponse<String> get(ConfigurableApplicationContext shop, String path)
			throws IOException, InterruptedException {
		return send(request(shop, path));
	}

	private static HttpRequest.Builder request(ConfigurableApplicationContext shop, String path) {
		String port = shop.getEnvironment().getRequiredProperty("local.server.port");
		return HttpRequest.newBuilder(URI.create("http://" + Shop.HERE + ":" + port + path));
	}

	private static HttpResponse<String> send(HttpRequest.Builder request) throws IOException, InterruptedException {
		return CLIENT.send(request.build(), BodyHandlers.ofString());
	}

}
