package com.example.ferry;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests a reload of the configuration by Spring Cloud's endpoint.
 */
class FerryApplicationTests {

	@TempDir
	private Path directory;

	private ConfigurableApplicationContext context;

	private String ferry;

	@BeforeEach
	void start() throws IOException {
		write("1/d", "1/d");
		this.context = SpringApplication.run(FerryApplication.class, "--server.port=0",
				"--spring.config.import=file:" + file());
		this.ferry = "http://localhost:" + this.context.getEnvironment().getProperty("local.server.port");
	}

	@AfterEach
	void stop() {
		this.context.close();
	}

	@Test
	void validChangesTakeEffectAfterARefresh() throws Exception {
		String before = get("/actuator/ratelimits").body();
		assertThat(refresh()).isEqualTo("[]");
		assertThat(get("/actuator/ratelimits").body()).as("without a change").isEqualTo(before);
		assertThat(statuses("/north")).containsExactly(200, 429);
		assertThat(statuses("/south")).containsExactly(200, 429);
		write("2/d", "1/d");
		assertThat(get("/north").statusCode()).as("before the refresh").isEqualTo(429);
		assertThat(refresh()).contains("tierlimit.rules.north.rate");
		assertThat(statuses("/north")).containsExactly(200, 429);
		write("2/d", "2/d");
		assertThat(refresh()).as("a placeholder").isEqualTo("[\"ferry.rate\"]");
		assertThat(get("/south").statusCode()).isEqualTo(200);
		write("many", "3/d");
		refresh();
		assertThat(get("/actuator/ratelimits").body()).contains("\"outcome\":\"invalid\"", "was 'many'");
		assertThat(get("/north").statusCode()).as("the previous rule").isEqualTo(429);
		assertThat(get("/south").statusCode()).as("the previous rule").isEqualTo(429);
	}

	private List<Integer> statuses(String path) throws IOException, InterruptedException {
		return List.of(get(path).statusCode(), get(path).statusCode());
	}

	private Path file() {
		return this.directory.resolve("rules.yml");
	}

	private void write(String north, String south) throws IOException {
		Files.writeString(file(), """
				tierlimit.rules.north:
				  paths: /north
				  rate: %s
				ferry.rate: %s
				""".formatted(north, south));
	}

	private String refresh() throws IOException, InterruptedException {
		HttpResponse<String> response = send(request("/actuator/refresh").POST(HttpRequest.BodyPublishers.noBody()));
		assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
		return response.body();
	}

	private HttpResponse<String> get(String path) throws IOException, InterruptedException {
		return send(request(path));
	}

	private HttpRequest.Builder request(String path) {
		return HttpRequest.newBuilder(URI.create(this.ferry + path));
	}

	private static HttpResponse<String> send(HttpRequest.Builder request) throws IOException, InterruptedException {
		return HttpClient.newHttpClient().send(request.build(), BodyHandlers.ofString());
	}

}
