package com.example.shop;

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

import static org.assertj.core.api.Assertions.assertThat;

@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT,
		properties = { "server.servlet.context-path=/shop", "spring.mvc.servlet.path=/rest",
				"tierlimit.rules.products.scope=endpoint", "tierlimit.rules.products.paths=/rest/api/products",
				"tierlimit.rules.products.rate=1/d" })
class ServletPathTests {

	@Value("http://localhost:${local.server.port}")
	private String shop;

	@Test
	void pathsOfRulesBeginAfterTheContextPath() throws Exception {
		HttpResponse<String> first = get("/shop/rest/api/products");
		assertThat(first.statusCode()).isEqualTo(200);
		assertThat(first.headers().firstValue("RateLimit").orElseThrow()).contains("\"products\";r=0;t=");
		HttpResponse<String> rejected = get("/shop/rest/api/products");
		assertThat(rejected.statusCode()).isEqualTo(429);
		assertThat(rejected.body()).contains("\"violated-policies\":[\"products\"]");
	}

	private HttpResponse<String> get(String path) throws IOException, InterruptedException {
		HttpRequest request = HttpRequest.newBuilder(URI.create(this.shop + path)).build();
		return HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
	}

}
