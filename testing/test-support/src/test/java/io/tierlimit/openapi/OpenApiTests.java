package io.tierlimit.openapi;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

import com.jayway.jsonpath.DocumentContext;
import com.jayway.jsonpath.JsonPath;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.tierlimit.RateLimited;
import io.tierlimit.spi.web.RateLimitRejectionHandler;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springdoc.core.models.GroupedOpenApi;
import org.springdoc.webmvc.core.fn.SpringdocRouteBuilder;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Profile;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.ServerResponse;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests the documents that springdoc serves.
 */
class OpenApiTests {

	private static final String[] ORDERS = { "orders.rate=5/d", "orders.paths=/orders/**", "orders.methods=GET" };

	/**
	 * The rules of the application that most tests share; each rule has its own paths.
	 */
	private static final String[] RULES = { ORDERS[0], ORDERS[1], ORDERS[2], "exact.rate=1/d",
			"exact.paths=/items/{id:[0-9]+}", "any.rate=5/d", "any.paths=/items/{id}", "other.rate=1/d",
			"other.paths=/other", "all.rate=5/d", "all.paths=/annotated,/own,/route", "named.rate=5/d",
			"named.applies-to=code", "secret.rate=5/d", "secret.paths=/quiet", "secret.headers=hidden",
			"trial.rate=5/d", "trial.paths=/quiet,/watched", "trial.mode=shadow" };

	private static ConfigurableApplicationContext shared;

	private final HttpClient client = HttpClient.newHttpClient();

	private final List<ConfigurableApplicationContext> running = new ArrayList<>();

	private String address = address(shared);

	@BeforeAll
	static void startShared() {
		shared = run(Set.of("annotated", "routes"), List.of(), RULES);
	}

	@AfterAll
	static void stopShared() {
		shared.close();
	}

	@AfterEach
	void stop() {
		this.running.forEach(ConfigurableApplicationContext::close);
	}

	@Test
	void operationDocumentsTheRejectionAndTheHeaders() {
		Map<String, Object> rejection = document().read("$.paths['/orders/{id}'].get.responses.429");
		assertThat(rejection).containsEntry("description", "The request is over its rate limit: orders.");
		assertThat(headers("/orders/{id}", "get", "429")).containsExactlyInAnyOrder("Retry-After", "RateLimit-Policy",
				"RateLimit", "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset");
		assertThat(headers("/orders/{id}", "get", "200")).containsExactlyInAnyOrder("RateLimit-Policy", "RateLimit",
				"RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset");
	}

	/** Springdoc removes the regular expression from the path of the operation. */
	@Test
	void ruleWithARegularExpressionInItsPathIsNotDocumented() {
		assertThat(get("/items/1").headers().firstValue("RateLimit").orElse("")).contains("exact", "any");
		Map<String, Object> rejection = document().read("$.paths['/items/{id}'].get.responses.429");
		assertThat(rejection).containsEntry("description", "The request is over its rate limit: any.");
	}

	@Test
	void operationWithoutARuleIsUnchanged() {
		String limited = document().read("$.paths['/orders'].post").toString() + document().read("$.paths['/free'].get")
				+ document().read("$.paths['/watched']");
		assertThat(limited).as("including a rule in shadow mode")
			.doesNotContain("429", "Retry-After", "RateLimit", "x-tierlimit");
	}

	@Test
	void headersAndBodyHaveTypesInGroupsAndInBothVersions() {
		expectTypes("3.1", document());
		start(Set.of("groups"), List.of("springdoc.api-docs.version=openapi_3_0"), ORDERS);
		expectTypes("3.0", JsonPath.parse(get("/v3/api-docs/orders").body()));
	}

	private static void expectTypes(String version, DocumentContext document) {
		assertThat((String) document.read("$.openapi")).startsWith(version);
		String response = "$.paths['/orders/{id}'].get.responses.429";
		assertThat((String) document.read(response + ".headers['Retry-After'].schema.type")).isEqualTo("integer");
		assertThat((String) document.read(response + ".headers['RateLimit'].schema.type")).isEqualTo("string");
		assertThat((String) document.read(response + ".headers['RateLimit-Limit'].schema.type")).isEqualTo("integer");
		Map<String, Map<String, Object>> members = document
			.read(response + ".content['application/problem+json'].schema.properties");
		assertThat(members).containsOnlyKeys("type", "title", "status", "detail", "violated-policies", "retry-after");
		assertThat(members.get("violated-policies")).containsEntry("type", "array");
		List<String> descriptions = document.read(response + ".headers[*].description");
		assertThat(descriptions).hasSize(6).allSatisfy((text) -> assertThat(text).endsWith("."));
	}

	@Test
	void documentedHeadersMatchTheResponses() {
		for (String status : List.of("200", "429")) {
			HttpResponse<String> response = get("/other");
			assertThat(response.statusCode()).hasToString(status);
			Set<String> sent = new TreeSet<>();
			response.headers().map().keySet().forEach((name) -> {
				if (name.contains("ratelimit") || name.equals("retry-after")) {
					sent.add(name);
				}
			});
			Set<String> documented = new TreeSet<>();
			headers("/other", "get", status).forEach((name) -> documented.add(name.toLowerCase(Locale.ROOT)));
			assertThat(documented).isEqualTo(sent);
		}
	}

	@Test
	void hiddenRuleHasNoNameAndNoHeaders() {
		Map<String, Object> rejection = document().read("$.paths['/quiet'].get.responses.429");
		assertThat(rejection).containsEntry("description", "The request is over its rate limit.");
		assertThat(headers("/quiet", "get", "429")).containsExactly("Retry-After");
		assertThat(document().jsonString()).doesNotContain("secret", "trial");
	}

	@Test
	void rulesOfAnnotationsAreDocumented() {
		Map<String, Object> rejection = document().read("$.paths['/annotated'].get.responses.429");
		assertThat(rejection).containsEntry("description", "The request is over its rate limit: all, named, inline.");
		assertThat(document().jsonString()).doesNotContain("x-tierlimit");
	}

	@Test
	void documentationOfTheApplicationIsKept() {
		Map<String, Object> rejection = document().read("$.paths['/own'].get.responses.429");
		assertThat(rejection).containsEntry("description", "Slow down");
		assertThat(rejection.get("content")).asString().doesNotContain("problem");
		assertThat(headers("/own", "get", "429")).contains("Retry-After", "RateLimit");
	}

	@Test
	void headersMatchTheStylesAndTheBodyOfOwnRejectionsIsNotDocumented() {
		start(Set.of("own-rejections"), List.of("tierlimit.headers.styles=x-ratelimit"), ORDERS);
		assertThat(headers("/orders/{id}", "get", "429")).containsExactly("Retry-After", "X-RateLimit-Limit",
				"X-RateLimit-Remaining", "X-RateLimit-Reset");
		Map<String, Object> rejection = document().read("$.paths['/orders/{id}'].get.responses.429");
		assertThat(rejection).doesNotContainKey("content");
	}

	@Test
	void functionalRouteIsDocumented() {
		assertThat(headers("/route", "get", "429")).contains("Retry-After", "RateLimit");
	}

	@ParameterizedTest
	@ValueSource(strings = { "server.servlet.context-path=/shop", "spring.mvc.servlet.path=/mvc" })
	void pathsOfRulesAreRelativeToTheContextPath(String property) {
		String path = property.substring(property.indexOf('/'));
		boolean servlet = property.startsWith("spring");
		start(Set.of(), List.of(property), "orders.rate=5/d", "orders.paths=" + (servlet ? path : "") + "/orders/{id}");
		DocumentContext document = JsonPath.parse(get(path + "/v3/api-docs").body());
		assertThat(document.<Object>read("$.paths['/orders/{id}'].get.responses.429")).isNotNull();
		assertThat(document.read("$.paths['/other']").toString()).doesNotContain("429");
	}

	@ParameterizedTest
	@ValueSource(strings = { "tierlimit.enabled=false",
			"spring.autoconfigure.exclude=io.tierlimit.autoconfigure.TierlimitOpenApiAutoConfiguration" })
	void switchTurnsItOff(String property) {
		start(Set.of(), List.of(property), "all.rate=5/d");
		assertThat(document().jsonString()).contains("/orders/{id}").doesNotContain("RateLimit", "Retry-After");
	}

	private void start(Set<String> profiles, List<String> properties, String... rules) {
		ConfigurableApplicationContext context = run(profiles, properties, rules);
		this.running.add(context);
		this.address = address(context);
	}

	private static ConfigurableApplicationContext run(Set<String> profiles, List<String> properties, String... rules) {
		List<String> all = new ArrayList<>(
				List.of("--server.port=0", "--tierlimit.store=memory", "--spring.main.banner-mode=off",
						"--logging.level.root=warn", "--spring.profiles.active=" + String.join(",", profiles)));
		properties.forEach((property) -> all.add("--" + property));
		List.of(rules).forEach((rule) -> all.add("--tierlimit.rules." + rule));
		return new SpringApplicationBuilder(Shop.class).run(all.toArray(String[]::new));
	}

	private static String address(ConfigurableApplicationContext context) {
		return "http://localhost:" + context.getEnvironment().getProperty("local.server.port");
	}

	private DocumentContext document() {
		return JsonPath.parse(get("/v3/api-docs").body());
	}

	private Set<String> headers(String path, String method, String status) {
		Map<String, Object> headers = document()
			.read("$.paths['" + path + "']." + method + ".responses." + status + ".headers");
		return new TreeSet<>(headers.keySet());
	}

	private HttpResponse<String> get(String path) {
		try {
			return this.client.send(HttpRequest.newBuilder(URI.create(this.address + path)).build(),
					BodyHandlers.ofString());
		}
		catch (IOException | InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ Handlers.class, Annotated.class, Options.class })
	static class Shop {

	}

	@RestController
	static class Handlers {

		@GetMapping("/orders/{id}")
		String order(@PathVariable String id) {
			return id;
		}

		@PostMapping("/orders")
		String create() {
			return "created";
		}

		@GetMapping("/items/{id:[0-9]+}")
		String item(@PathVariable String id) {
			return id;
		}

		@GetMapping({ "/other", "/free", "/quiet", "/watched" })
		String other() {
			return "other";
		}

		@ApiResponse(responseCode = "200", description = "OK")
		@ApiResponse(responseCode = "429", description = "Slow down")
		@GetMapping("/own")
		String own() {
			return "own";
		}

	}

	@RestController
	@Profile("annotated")
	static class Annotated {

		@RateLimited("named")
		@RateLimited(name = "inline", rate = "5/d")
		@GetMapping("/annotated")
		String annotated() {
			return "annotated";
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Options {

		@Bean
		@Profile("own-rejections")
		RateLimitRejectionHandler rejections() {
			return (verdict, request, response) -> {
			};
		}

		@Bean
		@Profile("routes")
		RouterFunction<ServerResponse> route() {
			return SpringdocRouteBuilder.route()
				.GET("/route", (request) -> ServerResponse.ok().build(), (operation) -> operation.operationId("route"))
				.build();
		}

		@Bean
		@Profile("groups")
		GroupedOpenApi orders() {
			return GroupedOpenApi.builder().group("orders").pathsToMatch("/orders/**").build();
		}

	}

}
