package io.tierlimit.application;

import java.io.ByteArrayInputStream;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;

import io.tierlimit.application.RunningApplication.Response;
import io.tierlimit.redis.Poll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests preflights, bodies and refunds over HTTP/2, on Tomcat and Jetty. A request may
 * have a body although it has no header for the length of the body.
 */
@Tag("slow")
class Http2Tests {

	@RegisterExtension
	static final SharedApplications applications = new SharedApplications();

	private RunningApplication application;

	@ParameterizedTest
	@CsvSource({ "/by-bean/data, https://bean.example, default", "/by-mapping/data, https://mapping.example, mvc" })
	void answeredPreflightIsRefunded(String path, String origin, String profile) {
		start(CorsApplication.class, "tierlimit.rules.r.rate=1/d", "spring.profiles.active=" + profile);
		for (int i = 0; i < 3; i++) {
			Response preflight = preflight(path, origin);
			assertThat(preflight.status()).isEqualTo(200);
			assertThat(preflight.header("RateLimit")).isEmpty();
		}
		assertThat(get(path, origin).rateLimit().get("r")).containsEntry("r", 0L);
		assertThat(preflight(path, origin).status()).isEqualTo(429);
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void preflightWithABodyIsCharged(boolean announced) {
		start(CorsApplication.class, "tierlimit.rules.r.rate=1/d", "spring.profiles.active=mvc");
		BodyPublisher body = body(announced);
		assertThat(preflight("/by-mapping/data", "https://mapping.example", body).status()).isEqualTo(200);
		assertThat(preflight("/by-mapping/data", "https://mapping.example", body).status()).isEqualTo(429);
	}

	@Test
	void preflightWhoseStreamStaysOpenIsAnsweredAtOnceAndCharged() {
		start(CorsApplication.class, "tierlimit.rules.r.rate=1/d", "spring.profiles.active=mvc",
				"server.jetty.connection-idle-timeout=10m");
		try (RawHttp2 client = new RawHttp2(this.application.port())) {
			client.awaitResponse(client.begin("OPTIONS", "/by-mapping/data", "origin", "https://mapping.example",
					"access-control-request-method", "GET"));
		}
		assertThat(preflight("/by-mapping/data", "https://mapping.example").status()).isEqualTo(429);
	}

	@Test
	void asynchronousRequestWhoseClientResetsTheStreamIsPublished() {
		start(EndingApplication.class, "tierlimit.rules.r.rate=10/d");
		try (RawHttp2 client = new RawHttp2(this.application.port())) {
			int stream = client.begin("GET", "/unfinished?timeout=600000");
			client.awaitResponse(stream);
			client.reset(stream);
			Poll.until(() -> this.application.bean(EndingApplication.Published.class).paths.contains("/unfinished"),
					() -> "Not published");
		}
	}

	@Test
	void requestIsRefundedIfItsOutcomeIsNotListed() {
		start(CorsApplication.class, "tierlimit.rules.r.rate=1/d", "tierlimit.rules.r.charge=404");
		assertThat(this.application.get("/same-origin/data").status()).isEqualTo(200);
		Poll.until(() -> this.application.consumed("r", "") == 0, () -> "Not refunded");
		assertThat(this.application.get("/nowhere").status()).isEqualTo(404);
		assertThat(this.application.get("/same-origin/data").status()).isEqualTo(429);
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void rejectionAtTheCallRefundsNothingOnceTheBodyHasBeenRead(boolean announced) {
		start(ForwardApplication.class, "tierlimit.rules.all.rate=1/d", "tierlimit.rules.all.burst=5");
		for (int i = 0; i < 5; i++) {
			Response response = this.application.send("POST", "/documents/7", body(announced));
			assertThat(response.status()).isEqualTo((i == 0) ? 200 : 429);
			assertThat(this.application.consumed("all", "")).isEqualTo(i + 1L);
		}
	}

	@Test
	void rejectionAtTheCallOfARequestWithoutABodyIsRefunded() {
		start(ForwardApplication.class, "tierlimit.rules.all.rate=1/d", "tierlimit.rules.all.burst=5");
		for (int i = 0; i < 9; i++) {
			this.application.send("POST", "/documents/7");
		}
		assertThat(this.application.consumed("all", "")).isEqualTo(1);
	}

	private void start(Class<?> type, String... properties) {
		this.application = applications.startWithHttp2(type, properties);
	}

	private Response get(String path, String origin) {
		return this.application.get(path, "Origin", origin);
	}

	private Response preflight(String path, String origin) {
		return preflight(path, origin, BodyPublishers.noBody());
	}

	private Response preflight(String path, String origin, BodyPublisher body) {
		return this.application.send("OPTIONS", path, body, "Origin", origin, "Access-Control-Request-Method", "GET");
	}

	/** A body in a frame that Tomcat does not consider too small. */
	private static BodyPublisher body(boolean announced) {
		byte[] body = new byte[2_000];
		return announced ? BodyPublishers.ofByteArray(body)
				: BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(body));
	}

}
