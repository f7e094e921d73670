package com.example.desk;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
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
		assertThat(get("/seats", "fred").statusCode()).isEqualTo(200);
		assertThat(get("/seats", "fred").statusCode()).isEqualTo(200);
		assertRejected(get("/seats", "fred"), "per-user");
		assertThat(get("/seats", "paula").headers().firstValue("RateLimit-Limit")).hasValue("3");
		assertThat(get("/seats", "paula").statusCode()).isEqualTo(200);
		assertThat(get("/seats", "paula").statusCode()).isEqualTo(200);
		assertRejected(get("/seats", "paula"), "per-user");
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
		assertThat(get("/exports", "rita").statusCode()).isEqualTo(200);
		assertRejected(get("/exports", "rita"), "Desk.export");
		assertThat(get("/exports", "ann").statusCode()).isEqualTo(200);
	}

	@Test
	void failedLoginsAreCharged() throws Exception {
		assertThat(get("/seats", "stranger").statusCode()).isEqualTo(401);
		assertThat(get("/seats", "stranger").statusCode()).isEqualTo(401);
		assertThat(get("/seats", "stranger").statusCode()).isEqualTo(401);
		assertRejected(get("/seats", "stranger"), "failed-logins");
	}

	private static void assertRejected(HttpResponse<String> response, String rule) {
		assertThat(response.statusCode()).isEqualTo(429);
		assertThat(response.headers().firstValue("Retry-After")).isPresent();
		assertThat(response.body()).contains("\"violated-policies\":[\"" + rule + "\"]");
	}

	private HttpResponse<String> get(String path, String user) throws IOException, InterruptedException {
		String credentials = Base64.getEncoder().encodeToString((user + ":secret").getBytes(StandardCharsets.UTF_8));
		HttpRequest request = HttpRequest.newBuilder(URI.create(this.desk + path))
			.header("Authorization", "Basic " + credentials)
			.build();
		return HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
	}

}
