package com.example.kiosk;

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
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;

@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT)
class KioskApplicationTests {

	@Value("http://localhost:${local.server.port}")
	private String kiosk;

	@Test
	void jettyIsLimited() throws Exception {
		assertThat(ClassUtils.isPresent("org.apache.catalina.startup.Tomcat", null)).isFalse();
		assertThat(get("/papers").headers().firstValue("RateLimit")).hasValue("\"per-ip\";r=1;t=6");
		assertThat(get("/papers").statusCode()).isEqualTo(200);
		HttpResponse<String> rejected = get("/papers");
		assertThat(rejected.statusCode()).isEqualTo(429);
		assertThat(rejected.headers().firstValue("Content-Type")).hasValue("application/problem+json");
		assertThat(rejected.body()).contains("\"violated-policies\":[\"per-ip\"]");
	}

	private HttpResponse<String> get(String path) throws IOException, InterruptedException {
		HttpRequest request = HttpRequest.newBuilder(URI.create(this.kiosk + path)).build();
		return HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
	}

}
