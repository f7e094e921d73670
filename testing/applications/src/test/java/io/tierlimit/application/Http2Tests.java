package io.tierlimit.application;

import java.io.ByteArrayInputStream;
import java.net.http.HttpClient.Version;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import io.tierlimit.PermitRequest;
import io.tierlimit.application.ForwardApplication.Work;
import io.tierlimit.application.RunningApplication.Response;
import io.tierlimit.application.WaitingApplication.ManualSleeper;
import io.tierlimit.evaluation.CompiledRule;
import io.tierlimit.evaluation.ActiveRules;
import io.tierlimit.junit.Poll;
import io.tierlimit.option.adaptive.AdaptiveRate;
import io.tierlimit.option.adaptive.AdaptiveRateUpdater;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests HTTP/2, where the requests of a client are streams of one connection. A request
 * may have a body although it has no header for the length of the body.
 */
@Tag("slow")
class Http2Tests {

	/** The same for all tests, so that they share their applications. */
	private static final String[] SETTINGS = { "tierlimit.plan.default=pro",
			"tierlimit.client-ip.trusted-proxies=127.0.0.1", "server.jetty.connection-idle-timeout=10m" };

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
		start(CorsApplication.class, "tierlimit.rules.r.rate=1/d", "spring.profiles.active=mvc");
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
		start(CorsApplication.class, "tierlimit.rules.r.rate=1/d", "tierlimit.rules.r.charge-on=404",
				"spring.profiles.active=default");
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
		this.application = applications.startWithHttp2(type, RunningApplication.with(SETTINGS, properties));
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

	@ParameterizedTest
	@Tag("tomcat")
	@CsvSource({ "scope=ip;ban.after=1;ban.within=1d;ban.for=1d, 2", "candidate.rate=1/d, 2", "plans.pro.rate=3/d, 3",
			"mode=shadow, 4", "schedule.ranges=../2000-01-01T00:00Z, 4", "shards=2, 2" })
	void ruleAllowsAsManyStreamsOfAConnection(String properties, int allowed) {
		startWithRule(TestApplication.class, properties.split(";"));
		assertThat(statuses(4)).isEqualTo(RunningApplication.statuses(4, allowed));
	}

	@ParameterizedTest
	@Tag("tomcat")
	@CsvSource({ "unlimited=true, 4", "blocked=true, 0" })
	void overrideOfAnAddressAppliesToEachStreamOfItsConnection(String effect, int allowed) {
		startWithRule(TestApplication.class, "scope=ip");
		this.application.begin("tierlimit.rules.r.rate=2/d", "tierlimit.rules.r.paths=/any",
				"tierlimit.rules.r.scope=ip", "tierlimit.overrides.a.address=127.0.0.1",
				"tierlimit.overrides.a." + effect);
		assertThat(statuses(4)).isEqualTo(RunningApplication.statuses(4, allowed));
	}

	@Test
	@Tag("tomcat")
	void streamsOfAConnectionAreOneCallerForAnAdaptiveRate() {
		startWithRule(TestApplication.class, "paths=/failing", "rate=1000/s", "adaptive.min-rate=1/s",
				"adaptive.max-error-rate=0%");
		for (int i = 0; i < 20; i++) {
			assertThat(this.application.get("/failing").status()).isEqualTo(500);
		}
		assertThat(shareAfterUpdate()).isEqualTo(1);
		for (String from : Stream.iterate(1, (i) -> i + 1).limit(10).map((i) -> "198.51.100." + i).toList()) {
			assertThat(this.application.get("/failing", "X-Forwarded-For", from).status()).isEqualTo(500);
		}
		assertThat(shareAfterUpdate()).isEqualTo(0.8);
	}

	@Test
	@Tag("tomcat")
	void streamThatWaitsDoesNotDelayOthersOfItsConnection() {
		startWithRule(WaitingApplication.class, "paths=/delayed", "rate=1/s", "burst=1", "max-wait=9s");
		ManualSleeper sleeper = this.application.bean(ManualSleeper.class);
		try {
			assertThat(this.application.get("/delayed").status()).isEqualTo(200);
			List<CompletableFuture<Response>> waiting = Stream.generate(() -> this.application.getLater("/delayed"))
				.limit(2)
				.toList();
			Poll.until(() -> sleeper.waiting.size() == 2, () -> "Not two waits");
			assertThat(sleeper.waiting).containsExactlyInAnyOrder(Duration.ofSeconds(1), Duration.ofSeconds(2));
			Response other = this.application.get("/any");
			assertThat(other.response().version()).isEqualTo(Version.HTTP_2);
			assertThat(other.status()).isEqualTo(200);
			sleeper.end();
			assertThat(waiting).allMatch((each) -> each.join().status() == 200);
		}
		finally {
			sleeper.end();
		}
	}

	@Test
	@Tag("tomcat")
	void asynchronousStreamIsChargedOnceAndRefundedAtItsEnd() {
		startWithRule(TestApplication.class, "paths=/async", "rate=2/d", "charge-on=404");
		for (int i = 0; i < 4; i++) {
			assertThat(this.application.get("/async").body()).isEqualTo("later");
			Poll.until(() -> this.application.consumed("r", "") == 0, () -> "Not refunded");
		}
		this.application.begin("tierlimit.rules.r.rate=2/d", "tierlimit.rules.r.paths=/async");
		this.application.assertAllowed(2, 4, "/async");
	}

	@Test
	@Tag("tomcat")
	void eachStreamHoldsItsOwnPermitUntilItEnds() {
		start(EndingApplication.class, "tierlimit.rules.r.algorithm=concurrency", "tierlimit.rules.r.limit=2",
				"tierlimit.rules.r.paths=/gate");
		EndingApplication.Gate gate = this.application.bean(EndingApplication.Gate.class);
		gate.close();
		try {
			List<CompletableFuture<Response>> running = Stream
				.generate(() -> this.application.getLater("/gate?status=200"))
				.limit(2)
				.toList();
			Poll.until(() -> gate.arrived.get() == 2, () -> "Not two requests have arrived");
			assertThat(this.application.get("/gate?status=200").status()).isEqualTo(429);
			gate.open();
			assertThat(running).allMatch((each) -> each.join().status() == 200)
				.allMatch((each) -> each.join().response().version() == Version.HTTP_2);
		}
		finally {
			gate.open();
		}
		for (int i = 0; i < 4; i++) {
			Poll.until(() -> this.application.left(PermitRequest.of("r")) == 2, () -> "Not released");
			assertThat(this.application.get("/gate?status=500").status()).isEqualTo(500);
		}
	}

	@Test
	@Tag("tomcat")
	void costOfEachStreamIsSettledAtItsEnd() {
		startWithRule(TestApplication.class, "paths=/any", "rate=50/d", "cost=10", "actual-cost=responseBytes");
		List<CompletableFuture<Response>> streams = Stream.generate(() -> this.application.getLater("/any"))
			.limit(4)
			.toList();
		assertThat(streams).allMatch((each) -> each.join().response().version() == Version.HTTP_2);
		PermitRequest bucket = PermitRequest.of("r");
		Poll.until(() -> this.application.left(bucket) == 42, () -> "Left are " + this.application.left(bucket));
	}

	@Test
	@Tag("tomcat")
	void streamThatIsForwardedIsChargedForItsTargetOnce() {
		startWithRule(ForwardApplication.class, "paths=/view", "rate=2/d");
		this.application.bean(Work.class).take();
		this.application.assertAllowed(2, 4, "/job/x");
		assertThat(this.application.consumed("r", "")).isEqualTo(2);
	}

	/** Starts with a rule, which allows two requests a day unless it has another rate. */
	private void startWithRule(Class<?> type, String... properties) {
		String[] rule = Stream.of(properties).map((property) -> "tierlimit.rules.r." + property).toArray(String[]::new);
		String[] defaults = { "tierlimit.rules.r.rate=2/d", "tierlimit.rules.r.paths=/any" };
		start(type, RunningApplication.with(defaults, rule));
	}

	private List<Integer> statuses(int requests) {
		List<Integer> statuses = new ArrayList<>();
		for (int i = 0; i < requests; i++) {
			Response response = this.application.get("/any");
			assertThat(response.response().version()).isEqualTo(Version.HTTP_2);
			statuses.add(response.status());
		}
		return statuses;
	}

	private double shareAfterUpdate() {
		this.application.bean(AdaptiveRateUpdater.class).update();
		CompiledRule rule = Objects.requireNonNull(this.application.bean(ActiveRules.class).current().rule("r"));
		return Objects.requireNonNull(rule.options().find(AdaptiveRate.class)).share().doubleValue();
	}

}
