package com.example.desk;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

import io.tierlimit.test.ResetRateLimits;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;

import static org.assertj.core.api.Assertions.assertThat;

@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT)
@ResetRateLimits
class DeskApplicationTests {

	@Value("http://localhost:${local.server.port}")
	private String desk;

	@Test
	void planOfTheUserHasItsOwnLimit() throws Exception {
		assertThat(get("/seats", "fred").headers().firstValue("RateLimit-Policy").orElseThrow())
			.contains("\"per-user\";q=60;w=60");
		assertThat(get("/seats", "paula").headers().firstValue("RateLimit-Policy").orElseThrow())
			.contains("\"per-user\";q=600;w=60");
	}

	@Test
	void expensiveEndpointHasALimitOfItsOwn() throws Exception {
		for (int i = 0; i < 5; i++) {
			assertThat(send(request("/exports", "rita").POST(BodyPublishers.noBody())).statusCode()).isEqualTo(200);
		}
		assertRejected(send(request("/exports", "rita").POST(BodyPublishers.noBody())), "exports");
		assertThat(get("/seats", "rita").statusCode()).isEqualTo(200);
	}

	@Test
	void annotatedServiceIsLimitedByItsArgument() throws Exception {
		assertThat(get("/reports/a", "rita").body()).isEqualTo("report a");
		assertThat(get("/reports/a", "ann").statusCode()).isEqualTo(200);
		assertRejected(get("/reports/a", "rita"), "Reports.render");
		assertThat(get("/reports/b", "rita").statusCode()).isEqualTo(200);
	}

	@Test
	void annotatedHandlerIsLimitedByUser() throws Exception {
		assertThat(get("/plan", "rita").statusCode()).isEqualTo(200);
		assertRejected(get("/plan", "rita"), "Desk.plan");
		assertThat(get("/plan", "ann").statusCode()).isEqualTo(200);
	}

	@Test
	void onlyFailedLoginsAreCharged() throws Exception {
		assertThat(login("secret").headers().firstValue("Location").orElseThrow()).doesNotContain("error");
		for (int i = 0; i < 5; i++) {
			assertThat(login("guess").headers().firstValue("Location").orElseThrow()).contains("error");
		}
		assertRejected(login("secret"), "login-failures-per-account");
	}

	private HttpResponse<String> login(String password) throws IOException, InterruptedException {
		return send(HttpRequest.newBuilder(URI.create(this.desk + "/login"))
			.header("Content-Type", "application/x-www-form-urlencoded")
			.POST(BodyPublishers.ofString("username=fred&password=" + password)));
	}

	private static void assertRejected(HttpResponse<String> response, String rule) {
		assertThat(response.statusCode()).isEqualTo(429);
		assertThat(response.headers().firstValue("Retry-After")).isPresent();
		assertThat(response.body()).contains("\"violated-policies\":[\"" + rule + "\"]");
	}

	private HttpResponse<String> get(String path, String user) throws IOException, InterruptedException {
		return send(request(path, user));
	}

	private HttpRequest.Builder request(String path, String user) {
		String credentials = Base64.getEncoder().encodeToString((user + ":secret").getBytes(StandardCharsets.UTF_8));
		return HttpRequest.newBuilder(URI.create(this.desk + path)).header("Authorization", "Basic " + credentials);
	}

	private static HttpResponse<String> send(HttpRequest.Builder request) throws IOException, InterruptedException {
		return HttpClient.newHttpClient().send(request.build(), BodyHandlers.ofString());
	}

}
