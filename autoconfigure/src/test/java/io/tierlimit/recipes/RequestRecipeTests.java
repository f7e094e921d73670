package io.tierlimit.recipes;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.WebSocket;
import java.net.http.WebSocketHandshakeException;
import java.time.Duration;
import java.util.concurrent.CompletionException;

import io.tierlimit.application.RunningApplication;
import io.tierlimit.application.RunningApplication.Response;
import jakarta.servlet.ServletContextEvent;
import jakarta.servlet.ServletContextListener;
import jakarta.websocket.DeploymentException;
import jakarta.websocket.OnMessage;
import jakarta.websocket.server.ServerContainer;
import jakarta.websocket.server.ServerEndpoint;
import org.apache.tomcat.websocket.server.WsSci;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The recipes for kinds of requests.
 */
@Tag("slow")
class RequestRecipeTests {

	@Test
	void httpMethods() {
		try (RunningApplication application = Recipe.start(RecipeApplication.class, "http-methods")) {
			Curl.replay(application, "Limit per HTTP method (reads and writes)");
		}
	}

	@Test
	void healthChecksAndStaticFiles() {
		try (RunningApplication application = Recipe.start(RecipeApplication.class, "exclude-paths")) {
			Curl.replay(application, "Exclude health checks, static files, and other paths");
			for (String path : new String[] { "/livez", "/readyz", "/actuator/health", "/assets/shop.css" }) {
				Response response = application.get(path);
				assertThat(response.status()).as(path).isEqualTo(200);
				assertThat(response.header("RateLimit")).as(path).isEmpty();
			}
			assertThat(application.get("/favicon.ico").header("RateLimit")).isEmpty();
		}
	}

	@Test
	void internalCallers() {
		try (RunningApplication application = Recipe.start(WithUsers.class, "internal-callers",
				"tierlimit.client-ip.trusted-proxies=127.0.0.1")) {
			Curl.replay(application, "Exempt internal callers (allowlist)");
			for (String address : new String[] { "10.1.2.3", "192.168.7.8", "172.16.0.1", "172.31.255.255" }) {
				assertThat(from(application, address).rateLimit()).as(address).containsOnlyKeys("per-user");
			}
			for (String address : new String[] { "110.1.2.3", "172.15.0.1", "172.32.0.1", "2001:db8::1" }) {
				assertThat(from(application, address).rateLimit()).as(address).containsOnlyKeys("per-ip", "per-user");
			}
		}
	}

	@Test
	void uploads() {
		try (RunningApplication application = Recipe.start(RecipeApplication.class, "uploads")) {
			Curl.replay(application, "Limit file uploads by size");
			Response chunked = application.send("POST", "/api/uploads",
					BodyPublishers.fromPublisher(BodyPublishers.ofString("one chunk")), "Content-Type", "text/plain");
			assertThat(chunked.status()).isEqualTo(200);
			assertThat(chunked.rateLimit().get("uploaded-bytes")).containsEntry("r", 49_999_990L);
			assertThat(upload(application, 45_000_000).body()).isEqualTo("45000000");
			Response rejected = upload(application, 6_000_000);
			assertThat(rejected.status()).isEqualTo(429);
			assertThat(rejected.header("Retry-After")).isEqualTo("8");
		}
	}

	@Test
	void webSocketHandshakes() {
		try (RunningApplication application = Recipe.start(WithWebSocket.class, "websocket")) {
			for (int i = 0; i < 3; i++) {
				connect(application).abort();
			}
			assertThatExceptionOfType(CompletionException.class).isThrownBy(() -> connect(application))
				.havingCause()
				.isInstanceOfSatisfying(WebSocketHandshakeException.class, (ex) -> {
					assertThat(ex.getResponse().statusCode()).isEqualTo(429);
					assertThat(ex.getResponse().headers().firstValue("Retry-After")).contains("6");
				});
			application.clock().advance(Duration.ofSeconds(6));
			connect(application).abort();
		}
	}

	@Test
	void batches() {
		try (RunningApplication application = Recipe.start(Catalog.class, "batch",
				"spring.graphql.schema.locations=classpath:/recipes/")) {
			Curl.replay(application, "Limit GraphQL queries and batches by cost");
			Response empty = application.send("POST", "/api/prices", BodyPublishers.ofString("[]"), "Content-Type",
					"application/json");
			assertThat(empty.rateLimit().get("items")).containsEntry("r", 92L);
		}
	}

	private static Response from(RunningApplication application, String address) {
		return application.get("/api/products", "X-Forwarded-For", address);
	}

	private static WebSocket connect(RunningApplication application) {
		return HttpClient.newHttpClient()
			.newWebSocketBuilder()
			.buildAsync(URI.create("ws://localhost:" + application.port() + "/ws"), new WebSocket.Listener() {
			})
			.join();
	}

	private static Response upload(RunningApplication application, int bytes) {
		return application.send("POST", "/api/uploads", BodyPublishers.ofByteArray(new byte[bytes]), "Content-Type",
				"application/octet-stream");
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(Handlers.class)
	static class WithUsers {

		@Bean
		SecurityFilterChain basic(HttpSecurity http) {
			return http.csrf(AbstractHttpConfigurer::disable)
				.authorizeHttpRequests((requests) -> requests.anyRequest().permitAll())
				.httpBasic(Customizer.withDefaults())
				.build();
		}

		@Bean
		UserDetailsService users() {
			return new InMemoryUserDetailsManager(User.withUsername("fred").password("{noop}secret").build(),
					User.withUsername("nightly-job").password("{noop}secret").roles("INTERNAL").build());
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import({ RecipeApplication.class, PriceController.class, ProductQueries.class })
	static class Catalog {

	}

	@Configuration(proxyBeanMethods = false)
	@Import(RecipeApplication.class)
	static class WithWebSocket {

		@Bean
		WebServerFactoryCustomizer<TomcatServletWebServerFactory> webSockets() {
			return (factory) -> factory.addContextCustomizers((context) -> {
				context.addServletContainerInitializer(new WsSci(), null);
				context.addApplicationListener(Deployment.class.getName());
			});
		}

	}

	/** Deploys the endpoint. */
	public static final class Deployment implements ServletContextListener {

		@Override
		public void contextInitialized(ServletContextEvent event) {
			ServerContainer container = (ServerContainer) event.getServletContext()
				.getAttribute(ServerContainer.class.getName());
			try {
				container.addEndpoint(Echo.class);
			}
			catch (DeploymentException ex) {
				throw new IllegalStateException(ex);
			}
		}

	}

	/** An endpoint that returns each message. */
	@ServerEndpoint("/ws")
	public static final class Echo {

		@OnMessage
		public String echo(String message) {
			return message;
		}

	}

}
