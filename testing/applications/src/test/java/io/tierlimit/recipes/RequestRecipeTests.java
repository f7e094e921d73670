package io.tierlimit.recipes;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.WebSocket;
import java.net.http.WebSocketHandshakeException;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.tierlimit.application.RunningApplication;
import io.tierlimit.application.RunningApplication.Response;
import io.tierlimit.application.SecuredApplication.CountingPasswordEncoder;
import jakarta.servlet.ServletContextEvent;
import jakarta.servlet.ServletContextListener;
import jakarta.websocket.CloseReason;
import jakarta.websocket.CloseReason.CloseCodes;
import jakarta.websocket.DeploymentException;
import jakarta.websocket.Endpoint;
import jakarta.websocket.EndpointConfig;
import jakarta.websocket.Session;
import jakarta.websocket.server.ServerContainer;
import jakarta.websocket.server.ServerEndpointConfig;
import org.apache.tomcat.websocket.server.WsSci;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.concurrent.SimpleAsyncTaskScheduler;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.context.support.WebApplicationContextUtils;

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
			for (String address : new String[] { "10.0.0.0", "10.255.255.255" }) {
				assertThat(from(application, address).rateLimit()).as(address).containsOnlyKeys("per-user");
			}
			for (String address : new String[] { "110.1.2.3", "11.0.0.0", "2001:db8::1" }) {
				assertThat(from(application, address).rateLimit()).as(address).containsOnlyKeys("per-ip", "per-user");
			}
		}
	}

	@Test
	void quotaPerDay() {
		try (RunningApplication application = Recipe.start(WithUsers.class, "quota")) {
			application.clock().advance(Duration.ofHours(6));
			Curl.replay(application, "Set a quota per day");
			application.clock().advance(Duration.ofHours(18).minusMillis(1));
			assertThat(export(application).rateLimit().get("exports-per-day")).containsEntry("r", 18L);
			application.clock().advance(Duration.ofMillis(1));
			assertThat(export(application).rateLimit().get("exports-per-day")).containsEntry("r", 19L);
			for (int i = 0; i < 19; i++) {
				assertThat(export(application).status()).isEqualTo(200);
			}
			assertThat(export(application).header("Retry-After")).isEqualTo("86400");
		}
	}

	@Test
	void reservedWork() {
		try (RunningApplication application = Recipe.start(WithImports.class, "reserved-work")) {
			assertThat(accept(application, 20).status()).isEqualTo(202);
			assertThat(accept(application, 30).status()).isEqualTo(202);
			assertThat(accept(application, 570).status()).isEqualTo(202);
			Response rejected = accept(application, 5);
			assertThat(rejected.status()).isEqualTo(429);
			assertThat(rejected.header("Retry-After")).isEqualTo("1");
			assertThat(RecordingScheduler.DELAYS).satisfiesExactly((first) -> assertThat(first).isBetween(0L, 499L),
					(second) -> assertThat(second).isBetween(3000L, 3499L),
					(third) -> assertThat(third).isBetween(60_000L, 60_499L));
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
	void webSocketMessages() {
		try (RunningApplication application = Recipe.start(WithChat.class, "websocket-messages")) {
			Listener fred = new Listener();
			WebSocket socket = connect(application, fred, "fred");
			for (int i = 0; i < 5; i++) {
				socket.sendText("hello", true).join();
				assertThat(fred.next()).isEqualTo("hello");
			}
			socket.sendText("hello", true).join();
			assertThat(fred.next()).isEqualTo("closed: 1008");
			Listener other = new Listener();
			connect(application, other, "nightly-job").sendText("hello", true).join();
			assertThat(other.next()).isEqualTo("hello");
			application.clock().advance(Duration.ofSeconds(1));
			Listener again = new Listener();
			connect(application, again, "fred").sendText("hello", true).join();
			assertThat(again.next()).isEqualTo("hello");
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

	private static Response export(RunningApplication application) {
		return application.send("POST", "/api/exports", BodyPublishers.noBody(), "Authorization", basic("fred"));
	}

	private static Response accept(RunningApplication application, int rows) {
		String list = Stream.generate(() -> "\"row\"").limit(rows).collect(Collectors.joining(",", "[", "]"));
		return application.send("POST", "/api/imports", BodyPublishers.ofString(list), "Content-Type",
				"application/json");
	}

	private static String basic(String user) {
		return "Basic " + Base64.getEncoder().encodeToString((user + ":secret").getBytes(StandardCharsets.UTF_8));
	}

	private static WebSocket connect(RunningApplication application) {
		return connect(application, new Listener(), "");
	}

	private static WebSocket connect(RunningApplication application, Listener listener, String user) {
		WebSocket.Builder builder = HttpClient.newHttpClient().newWebSocketBuilder();
		if (!user.isEmpty()) {
			builder.header("Authorization", basic(user));
		}
		return builder.buildAsync(URI.create("ws://localhost:" + application.port() + "/ws"), listener).join();
	}

	private static Response upload(RunningApplication application, int bytes) {
		return application.send("POST", "/api/uploads", BodyPublishers.ofByteArray(new byte[bytes]), "Content-Type",
				"application/octet-stream");
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ Handlers.class, CountingPasswordEncoder.class })
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
			return new InMemoryUserDetailsManager(User.withUsername("fred").password("secret").build(),
					User.withUsername("nightly-job").password("secret").roles("INTERNAL").build());
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import({ RecipeApplication.class, PriceController.class, ProductQueries.class })
	static class Catalog {

	}

	@Configuration(proxyBeanMethods = false)
	@Import({ RecipeApplication.class, Imports.class })
	static class WithImports {

		@Bean
		TaskScheduler recordingScheduler() {
			return new RecordingScheduler();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import({ WithUsers.class, WebSockets.class, ChatMessages.class })
	static class WithChat {

	}

	@Configuration(proxyBeanMethods = false)
	@Import({ RecipeApplication.class, WebSockets.class })
	static class WithWebSocket {

	}

	static class WebSockets {

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
				container.addEndpoint(ServerEndpointConfig.Builder.create(Echo.class, "/ws")
					.configurator(new ServerEndpointConfig.Configurator() {

						@Override
						public <T> T getEndpointInstance(Class<T> type) {
							return type.cast(new Echo(WebApplicationContextUtils
								.getRequiredWebApplicationContext(event.getServletContext())
								.getBeanProvider(ChatMessages.class)
								.getIfAvailable()));
						}

					})
					.build());
			}
			catch (DeploymentException ex) {
				throw new IllegalStateException(ex);
			}
		}

	}

	/** An endpoint that returns each message, and closes the connection at the limit. */
	public static final class Echo extends Endpoint {

		private final @Nullable ChatMessages messages;

		Echo(@Nullable ChatMessages messages) {
			this.messages = messages;
		}

		@Override
		public void onOpen(Session session, EndpointConfig config) {
			session.addMessageHandler(String.class, (message) -> {
				try {
					if (this.messages != null && !this.messages.isAllowed(session.getUserPrincipal().getName())) {
						session.close(new CloseReason(CloseCodes.VIOLATED_POLICY, "Too many messages."));
					}
					else {
						session.getBasicRemote().sendText(message);
					}
				}
				catch (IOException ex) {
					throw new UncheckedIOException(ex);
				}
			});
		}

	}

	/** Receives messages, and the code with which the server closes the connection. */
	private static final class Listener implements WebSocket.Listener {

		private final BlockingQueue<String> received = new LinkedBlockingQueue<>();

		@Override
		public @Nullable CompletionStage<?> onText(WebSocket socket, CharSequence text, boolean last) {
			this.received.add(text.toString());
			socket.request(1);
			return null;
		}

		@Override
		public @Nullable CompletionStage<?> onClose(WebSocket socket, int status, String reason) {
			this.received.add("closed: " + status);
			return null;
		}

		private @Nullable String next() {
			try {
				return this.received.poll(1, TimeUnit.MINUTES);
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}

	}

	/** Records the delays of tasks, in milliseconds, and runs none of them. */
	private static final class RecordingScheduler extends SimpleAsyncTaskScheduler {

		private static final long serialVersionUID = 1L;

		private static final List<Long> DELAYS = new ArrayList<>();

		private RecordingScheduler() {
			setClock(Clock.fixed(Instant.EPOCH, ZoneOffset.UTC));
			DELAYS.clear();
		}

		@Override
		public ScheduledFuture<?> schedule(Runnable task, Instant start) {
			DELAYS.add(start.toEpochMilli());
			return super.schedule(() -> {
			}, getClock().instant());
		}

	}

}
