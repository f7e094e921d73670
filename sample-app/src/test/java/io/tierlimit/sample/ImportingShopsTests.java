package io.tierlimit.sample;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import io.tierlimit.PermitRequest;
import io.tierlimit.RateLimiter;
import io.tierlimit.junit.Poll;
import io.tierlimit.redis.RedisServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that two running shops share the rate of written price lists.
 */
@Tag("slow")
class ImportingShopsTests {

	private static final HttpClient CLIENT = HttpClient.newHttpClient();

	private final List<ConfigurableApplicationContext> shops = new ArrayList<>();

	private final RedisServer redis = RedisServer.start();

	@AfterEach
	void stop() {
		this.shops.forEach(ConfigurableApplicationContext::close);
		this.redis.close();
	}

	@Test
	void importsOfBothArrive() throws IOException, InterruptedException {
		ConfigurableApplicationContext one = open("40/s");
		ConfigurableApplicationContext other = open("40/s");
		String list = upload(one, 40);
		String second = upload(other, 40);
		awaitWritten(one, list, 40);
		awaitWritten(other, second, 40);
	}

	@Test
	void closedShopRefundsTheReservationsOfItsImports() throws IOException, InterruptedException {
		ConfigurableApplicationContext one = open("10/d");
		ConfigurableApplicationContext other = open("10/d");
		String list = upload(one, 30);
		awaitWritten(one, list, 20);
		Poll.until(Duration.ofSeconds(60), () -> isBucketOwing(other), () -> "Nothing is reserved");
		upload(one, 5);
		upload(one, 5);
		one.close();
		assertThat(isBucketOwing(other)).isFalse();
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

	private ConfigurableApplicationContext open(String rate) {
		ConfigurableApplicationContext shop = new SpringApplicationBuilder(SampleApplication.class).profiles("redis")
			.run("--server.port=0", "--spring.data.redis.port=" + this.redis.port(), "--tierlimit.redis.timeout=5s",
					"--tierlimit.rules.per-address.rate=100000/s", "--tierlimit.rules.imports.rate=" + rate);
		this.shops.add(shop);
		return shop;
	}

	private static String upload(ConfigurableApplicationContext shop, int rows)
			throws IOException, InterruptedException {
		String list = String.join(",", Collections.nCopies(rows, "{\"product\":1,\"price\":9.90}"));
		HttpResponse<String> response = CLIENT
			.send(request(shop, "/api/imports").header("Content-Type", "application/json")
				.POST(BodyPublishers.ofString("[" + list + "]"))
				.build(), BodyHandlers.ofString());
		assertThat(response.statusCode()).isEqualTo(202);
		return response.headers().firstValue("Location").orElseThrow();
	}

	private static void awaitWritten(ConfigurableApplicationContext shop, String list, int rows) {
		Poll.until(Duration.ofSeconds(60), () -> progress(shop, list).contains("\"written\":" + rows + ","),
				() -> progress(shop, list));
	}

	private static String progress(ConfigurableApplicationContext shop, String list) {
		return CLIENT.sendAsync(request(shop, list).build(), BodyHandlers.ofString()).join().body();
	}

	private static HttpRequest.Builder request(ConfigurableApplicationContext shop, String path) {
		String port = shop.getEnvironment().getRequiredProperty("local.server.port");
		return HttpRequest.newBuilder(URI.create("http://" + Shop.HERE + ":" + port + path))
			.header("X-Partner-Key", "k-3141");
	}

}
