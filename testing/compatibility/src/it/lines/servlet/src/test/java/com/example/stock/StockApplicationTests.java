package com.example.stock;

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

// The type is repeated here, because tests do not read it from application.yml.
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT,
		properties = "spring.main.web-application-type=servlet")
class StockApplicationTests {

	@Value("http://localhost:${local.server.port}")
	private String stock;

	@Test
	void servletIsLimitedWithoutSpringMvc() throws Exception {
		assertThat(ClassUtils.isPresent("org.springframework.web.servlet.DispatcherServlet", null)).isFalse();
		HttpResponse<String> first = get("/stock/cup");
		assertThat(first.statusCode()).isEqualTo(200);
		assertThat(first.body()).isEqualTo("12 cups");
		assertThat(first.headers().firstValue("RateLimit")).hasValue("\"stock\";r=1;t=6");
		assertThat(get("/stock/plate").statusCode()).isEqualTo(200);
		HttpResponse<String> rejected = get("/stock/spoon");
		assertThat(rejected.statusCode()).isEqualTo(429);
		assertThat(rejected.headers().firstValue("Retry-After")).isPresent();
		assertThat(rejected.body()).contains("\"violated-policies\":[\"stock\"]");
	}

	private HttpResponse<String> get(String path) throws IOException, InterruptedException {
		HttpRequest request = HttpRequest.newBuilder(URI.create(this.stock + path)).build();
		return HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
	}

}
