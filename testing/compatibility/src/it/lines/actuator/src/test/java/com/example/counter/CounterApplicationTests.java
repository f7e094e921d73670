package com.example.counter;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;

import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.test.json.JsonContent;

import static org.assertj.core.api.Assertions.assertThat;

// Without this property, Spring Boot 3.5 exports no meters in tests. Later versions do.
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT,
		properties = { "spring.test.observability.auto-configure=true",
				"management.prometheus.metrics.export.enabled=true" })
class CounterApplicationTests {

	@Value("http://localhost:${local.server.port}")
	private String counter;

	@Test
	void endpointShowsAndResetsBuckets() throws Exception {
		get("/tickets");
		get("/tickets");
		assertThat(get("/tickets").statusCode()).isEqualTo(429);
		assertThat(json("/actuator/ratelimits")).extractingPath("$.rules[*].id")
			.asArray()
			.containsExactly("everybody", "per-user");
		assertThat(json("/actuator/ratelimits/everybody")).extractingPath("$.totals.rejected").isEqualTo(1);
		assertThat(json("/actuator/ratelimits/everybody?key=")).extractingPath("$.buckets[0].permits").isEqualTo(0);
		assertThat(json("/actuator/ratelimits?user=alice&plan=pro")).extractingPath("$.buckets[*].rule")
			.asArray()
			.contains("per-user");
		assertThat(get("/actuator/ratelimits/nothing").statusCode()).isEqualTo(404);
		assertThat(reset().statusCode()).isEqualTo(204);
		assertThat(get("/tickets").statusCode()).isEqualTo(200);
	}

	@Test
	void endpointReloadsRulesWithoutABodyAndSetsTheirModeWithOne() throws Exception {
		assertThat(json("/actuator/ratelimits")).extractingPath("$.mode.value").isEqualTo("enforce");
		HttpResponse<String> reload = post(HttpRequest.newBuilder(), "");
		assertThat(reload.statusCode()).isEqualTo(200);
		assertThat(new JsonContent(reload.body())).extractingPath("$.outcome").isEqualTo("unchanged");
		HttpResponse<String> shadow = mode("{\"mode\": \"shadow\"}");
		assertThat(shadow.statusCode()).isEqualTo(200);
		assertThat(new JsonContent(shadow.body())).extractingPath("$.value").isEqualTo("shadow");
		get("/tickets");
		get("/tickets");
		assertThat(get("/tickets").statusCode()).isEqualTo(200);
		assertThat(json("/actuator/ratelimits")).extractingPath("$.mode.origin").isEqualTo("management endpoint");
		assertThat(mode("{\"mode\": \"off\"}").statusCode()).isEqualTo(400);
		assertThat(mode("{}").statusCode()).isEqualTo(400);
		assertThat(mode("").statusCode()).isEqualTo(400);
		assertThat(mode("{\"mode\": \"configured\"}").statusCode()).isEqualTo(200);
		assertThat(get("/tickets").statusCode()).isEqualTo(429);
		reset();
	}

	@Test
	void healthHasTheStore() throws Exception {
		assertThat(json("/actuator/health")).extractingPath("$.components.ratelimit").asMap()
			.containsEntry("status", "UP");
		assertThat(json("/actuator/health")).extractingPath("$.components.ratelimit.details").asMap()
			.containsEntry("store", "memory")
			.containsEntry("reachable", true);
	}

	@Test
	void prometheusScrapesTheMeters() throws Exception {
		get("/tickets");
		assertThat(get("/actuator/prometheus").body()).containsPattern(
				"tierlimit_requests_total\\{outcome=\"(allowed|rejected)\",plan=\"[a-z]*\",rule=\"everybody\",scope=\"global\"}");
	}

	private JsonContent json(String path) throws IOException, InterruptedException {
		HttpResponse<String> response = get(path);
		assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
		return new JsonContent(response.body());
	}

	private HttpResponse<String> reset() throws IOException, InterruptedException {
		return send(HttpRequest.newBuilder(URI.create(this.counter + "/actuator/ratelimits/everybody"))
			.DELETE()
			.build());
	}

	private HttpResponse<String> mode(String body) throws IOException, InterruptedException {
		return post(HttpRequest.newBuilder().header("Content-Type", "application/json"), body);
	}

	private HttpResponse<String> post(HttpRequest.Builder request, String body)
			throws IOException, InterruptedException {
		return send(request.uri(URI.create(this.counter + "/actuator/ratelimits"))
			.POST(HttpRequest.BodyPublishers.ofString(body))
			.build());
	}

	private HttpResponse<String> get(String path) throws IOException, InterruptedException {
		return send(HttpRequest.newBuilder(URI.create(this.counter + path)).build());
	}

	private static HttpResponse<String> send(HttpRequest request) throws IOException, InterruptedException {
		return HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
	}

}
