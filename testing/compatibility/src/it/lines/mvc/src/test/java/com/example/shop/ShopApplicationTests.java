package com.example.shop;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;

import static org.assertj.core.api.Assertions.assertThat;

@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT)
class ShopApplicationTests {

	@Value("http://localhost:${local.server.port}")
	private String shop;

	@Test
	void tenRequestsAreAllowedAndTheNextGets429() throws Exception {
		HttpResponse<String> first = get("/api/products");
		assertThat(first.statusCode()).isEqualTo(200);
		assertThat(first.body()).isEqualTo("Espresso cup");
		assertThat(field(first, "RateLimit-Policy")).isEqualTo("\"per-ip\";q=10;w=60");
		assertThat(field(first, "RateLimit")).isEqualTo("\"per-ip\";r=9;t=54");
		assertThat(field(first, "RateLimit-Limit")).isEqualTo("10");
		assertThat(field(first, "RateLimit-Remaining")).isEqualTo("9");
		assertThat(field(first, "RateLimit-Reset")).isEqualTo("6");
		for (int i = 1; i < 10; i++) {
			assertThat(get("/api/products").statusCode()).isEqualTo(200);
		}
		HttpResponse<String> rejected = get("/api/products");
		assertThat(rejected.statusCode()).isEqualTo(429);
		assertThat(field(rejected, "RateLimit")).startsWith("\"per-ip\";r=0;t=");
		assertThat(Integer.parseInt(field(rejected, "Retry-After"))).isBetween(1, 6);
		assertThat(field(rejected, "Content-Type")).isEqualTo("application/problem+json");
		assertThat(rejected.body())
			.startsWith("{\"type\":\"https://iana.org/assignments/http-problem-types#quota-exceeded\"")
			.contains("\"status\":429", "\"violated-policies\":[\"per-ip\"]",
					"\"retry-after\":" + field(rejected, "Retry-After"));
	}

	@Test
	void applicationNeedsNoCode() throws IOException {
		try (Stream<Path> sources = Files.walk(Path.of("src", "main", "java"))) {
			assertThat(sources.filter(Files::isRegularFile)).isNotEmpty()
				.allSatisfy((source) -> assertThat(source).content().doesNotContainIgnoringCase("tierlimit"));
		}
	}

	private HttpResponse<String> get(String path) throws IOException, InterruptedException {
		HttpRequest request = HttpRequest.newBuilder(URI.create(this.shop + path)).build();
		return HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
	}

	private static String field(HttpResponse<String> response, String name) {
		return response.headers().firstValue(name).orElseThrow();
	}

}
