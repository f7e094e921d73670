package io.tierlimit.application;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import io.micrometer.core.instrument.MeterRegistry;
import io.tierlimit.PermitRequest;
import io.tierlimit.application.EndingApplication.Gate;
import io.tierlimit.application.HoldingApplication.Held;
import io.tierlimit.application.RunningApplication.Response;
import io.tierlimit.junit.Poll;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that a request holds its permits until its response is complete, for every store.
 * Each test has its own keys.
 */
@TestInstance(Lifecycle.PER_CLASS)
@Tag("slow")
abstract class HeldPermitsContract {

	/** The server of tests whose results do not depend on the server. */
	private static final String TOMCAT = "tomcat";

	private static final String[] EXPORTS = { "exports.algorithm=concurrency", "exports.limit=2",
			"exports.key=param('k')", "exports.on-missing-key=skip" };

	/** Rules for some requests, each with the same key. */
	private static final String[] OTHERS = { "rated.paths=/late", "rated.rate=1/d", "rated.key=param('k')",
			"shadowed.paths=/deferred", "shadowed.algorithm=concurrency", "shadowed.limit=1", "shadowed.mode=shadow",
			"shadowed.key=param('k')", "heavy.paths=/future", "heavy.algorithm=concurrency", "heavy.limit=5",
			"heavy.cost=2", "heavy.key=param('k')", "named.paths=/named", "named.algorithm=concurrency",
			"named.limit=1", "named.key=param('k')" };

	private RunningApplication application;

	abstract String[] store();

	@BeforeAll
	void start() {
		this.application = RunningApplication.start(HoldingApplication.class, properties(EXPORTS));
	}

	/** The properties of the application, with a variant of the rule. */
	private String[] properties(String... exports) {
		String[] rules = RunningApplication.rules(RunningApplication.with(exports, OTHERS));
		return RunningApplication.with(store(),
				RunningApplication.with(rules, "tierlimit.keys.hash=none", "server.shutdown=immediate"));
	}

	@AfterAll
	void stop() {
		this.application.close();
	}

	@BeforeEach
	void begin() {
		gate().close();
	}

	@AfterEach
	void everyPermitIsReleased() {
		gate().open();
		for (String rule : List.of(HoldingApplication.RULE, "shadowed", "heavy", "named")) {
			Poll.until(() -> gauge(rule) == 0, () -> rule + ": permits in use are " + gauge(rule));
		}
	}

	@ParameterizedTest
	@CsvSource({ "/status, 200", "/status, 404", "/status, 503", "/unknown, 404", "/error-page, 401",
			"/error-page, 500", "/exception, 500", "/io-exception, 500", "/deferred, 200", "/deferred, 503",
			"/callable, 200", "/callable/exception, 500", "/future, 200", "/future/exception, 500", "/rounds, 200",
			"/rounds, 500", "/timeout, 503", "/streaming, 200", "/events/complete, 200", "/cached, 200", "/moved, 200",
			"/forwarding, 200", "/forwarding/handler, 200", "/including, 200", "/early/status, 200",
			"/early/deferred, 200", "/early/exception, 500", "/named, 200", "/named, 500" })
	void requestHoldsOnePermitUntilItsEnd(String path, int status) {
		gate().open();
		String key = path + status;
		assertThat(this.application.get(path + "?k=" + key + "&status=" + status).status()).isEqualTo(status);
		assertReleased(key);
	}

	@ParameterizedTest
	@CsvSource({ "/failing-late, 200", "/committed, 200", "/uncommitted, 500", "/streaming/exception, 200" })
	void exceptionReleasesThePermit(String path, int status) {
		String key = "exception" + path;
		assertThat(this.application.raw().send("GET " + path + "?k=" + key + "&status=200 HTTP/1.1", "", "").status())
			.isEqualTo(status);
		assertReleased(key);
	}

	@ParameterizedTest
	@ValueSource(strings = { "/gate", "/callable", "/deferred", "/future", "/streaming", "/named" })
	void permitIsHeldWhileTheHandlerRuns(String path) {
		String key = "during" + path;
		CompletableFuture<Response> request = CompletableFuture
			.supplyAsync(() -> this.application.get(path + "?status=200&k=" + key));
		Poll.until(() -> gate().arrived.get() == 1, () -> "No request has arrived");
		assertThat(held().now(key)).isEqualTo(1);
		assertThat(gauge(HoldingApplication.RULE)).isEqualTo(1);
		gate().open();
		assertThat(request.join().status()).isEqualTo(200);
		assertReleased(key);
	}

	@ParameterizedTest
	@ValueSource(strings = { "/named", "/annotated/hold" })
	void annotationThatNamesARuleForRequestsHoldsOnePermitUntilTheEndOfTheRequest(String path) {
		String key = "annotated" + path;
		List<CompletableFuture<Response>> requests = arrive(1, path + "?status=200&k=" + key);
		assertThat(held().now("named", key)).isEqualTo(1);
		assertThat(this.application.get(path + "?status=200&k=" + key).status()).isEqualTo(429);
		gate().open();
		assertThat(requests.get(0).join().status()).isEqualTo(200);
		Poll.until(() -> held().now("named", key) == 0, () -> "Permits are in use");
	}

	@Test
	void rejectionBySpringSecurityReleasesThePermit() {
		Response rejected = this.application.get("/mine?k=mine");
		assertThat(rejected.status()).isEqualTo(401);
		assertThat(rejected.header("RateLimit")).as("the permit was held").contains("\"exports\";r=1");
		assertThat(held().now("mine")).isZero();
	}

	@Test
	void timeoutThatInterruptsATaskReleasesThePermit() {
		assertThat(this.application.get("/task?k=task").status()).isIn(500, 503);
		assertReleased("task");
	}

	@ParameterizedTest
	@ValueSource(strings = { "/leaving", "/leaving/async", "/events", "/leaving/servlet" })
	void disconnectedClientReleasesThePermit(String path) {
		String key = "left" + path;
		this.application.raw()
			.reset("GET " + path + "?k=" + key + " HTTP/1.1",
					() -> Poll.until(() -> gate().arrived.get() == 1, () -> "No request has arrived"));
		assertThat(held().now(key)).isEqualTo(1);
		gate().open();
		Poll.until(() -> held().now(key) == 0, () -> "In use are " + held().now(key));
	}

	@Test
	void disconnectedClientReleasesThePermitThatAServiceHasAcquired() {
		this.application.raw()
			.reset("GET /events/service?name=service HTTP/1.1",
					() -> Poll.until(() -> gate().arrived.get() == 1, () -> "No request has arrived"));
		assertThat(held().now("named", "service")).isOne();
		gate().open();
		Poll.until(() -> held().now("named", "service") == 0, () -> "Permits are in use");
	}

	@Test
	void committedResponseThatEndsByATimeoutReleasesThePermit() {
		this.application.raw().statusOf("GET /unfinished?k=unfinished&timeout=100 HTTP/1.1", "");
		assertReleased("unfinished");
	}

	@Test
	void headAndNotModifiedReleaseThePermit() {
		assertThat(this.application.send("HEAD", "/status?status=200&k=head").status()).isEqualTo(200);
		assertReleased("head");
		assertThat(this.application.get("/cached?k=cached", "If-None-Match", "\"x\"").status()).isEqualTo(304);
		assertReleased("cached");
	}

	@Test
	void preflightReleasesThePermit() {
		assertThat(this.application.raw()
			.send("OPTIONS /shared?k=preflight HTTP/1.1",
					"Origin: https://example.com\r\nAccess-Control-Request-Method: GET\r\n", "")
			.status()).isEqualTo(200);
		assertReleased("preflight");
	}

	@Test
	@Tag(TOMCAT)
	void handshakeReleasesThePermit() {
		assertThat(this.application.raw()
			.statusOf("GET /upgrade?k=upgrade HTTP/1.1", "Connection: Upgrade\r\nUpgrade: echo\r\n")).isEqualTo(101);
		assertReleased("upgrade");
	}

	@Test
	void rejectionByARateHoldsNothing() {
		gate().open();
		assertThat(this.application.get("/late?status=200&k=rated").status()).isEqualTo(200);
		assertReleased("rated");
		gate().close();
		Response rejected = this.application.get("/late?status=200&k=rated");
		assertThat(rejected.status()).isEqualTo(429);
		assertThat(rejected.rateLimit()).containsOnlyKeys("rated");
		assertThat(held().now("rated")).isZero();
	}

	@Test
	void rejectionByPermitsInUseConsumesNoPermitsOfARate() {
		List<CompletableFuture<Response>> exports = arrive(2, "/gate?status=200&k=full");
		Response rejected = this.application.get("/late?status=200&k=full");
		assertThat(rejected.status()).isEqualTo(429);
		assertThat(rejected.header("RateLimit-Policy")).contains("\"exports\";q=2;qu=\"concurrent-requests\"");
		assertThat(rejected.header("RateLimit")).isEqualTo("\"exports\";r=0");
		assertThat(rejected.header("Retry-After")).isEmpty();
		assertThat(rejected.jsons("$.violated-policies[*]")).containsExactly("exports");
		assertThat(rejected.body()).doesNotContain("retry-after");
		assertThat(held().now("full")).isEqualTo(2);
		assertThat(this.application.left(PermitRequest.of("rated").part("key", "full"))).isEqualTo(1);
		gate().open();
		exports.forEach(CompletableFuture::join);
		Poll.until(() -> held().now("full") == 0, () -> "In use are " + held().now("full"));
		assertThat(this.application.get("/late?status=200&k=full").status()).isEqualTo(200);
	}

	@Test
	void ruleInShadowModeHoldsOnlyThePermitsThatAreAvailable() {
		List<CompletableFuture<Response>> requests = arrive(2, "/deferred?status=200&k=shadow");
		assertThat(held().now("shadowed", "shadow")).isEqualTo(1);
		assertThat(gauge("shadowed")).isEqualTo(1);
		gate().open();
		assertThat(requests).allMatch((request) -> request.join().status() == 200);
		Poll.until(() -> held().now("shadowed", "shadow") == 0, () -> "Permits are in use");
	}

	@Test
	void requestHoldsAsManyPermitsAsItCosts() {
		List<CompletableFuture<Response>> requests = arrive(2, "/future?status=200&k=heavy");
		assertThat(held().now("heavy", "heavy")).isEqualTo(4);
		assertThat(gauge("heavy")).isEqualTo(4);
		gate().open();
		requests.forEach(CompletableFuture::join);
		Poll.until(() -> held().now("heavy", "heavy") == 0, () -> "Permits are in use");
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "exports.rate=5/d exports.key=param('k')",
			"exports.algorithm=concurrency exports.limit=1 exports.key=param('k')",
			"exports.algorithm=concurrency exports.limit=2 exports.key=param('k') exports.mode=shadow",
			"exports.algorithm=concurrency exports.limit=2 exports.key=param('k') exports.enabled=false",
			"exports.algorithm=concurrency exports.limit=2 exports.key=param('k') exports.max-duration=1m",
			"exports.algorithm=concurrency exports.limit=2 exports.scope=ip",
			"exports.algorithm=concurrency exports.limit=2 exports.key=param('k') exports.cost=2",
			"exports.algorithm=concurrency exports.limit=2 exports.key=param('k') exports.applies-to=code",
			"exports.algorithm=concurrency exports.limit=2 exports.key=param('k') other.paths=/none other.rate=1/s" })
	void permitIsReleasedAsItWasAcquiredIfTheRuleChanges(String rules) {
		String key = "changed" + rules.hashCode();
		List<CompletableFuture<Response>> requests = arrive(1, "/gate?status=200&k=" + key);
		assertThat(held().now(key)).isOne();
		try {
			this.application.reload(properties(rules.isEmpty() ? new String[0] : rules.split(" ", -1)));
			assertThat(held().now(key)).isEqualTo(1);
			gate().open();
			requests.forEach(CompletableFuture::join);
			Poll.until(() -> held().now(key) == 0, () -> "In use are " + held().now(key));
		}
		finally {
			this.application.reload(properties(EXPORTS));
		}
	}

	@Test
	void permitOfARuleThatIsRemovedAndAddedAgainIsCounted() {
		List<CompletableFuture<Response>> requests = arrive(1, "/gate?status=200&k=again");
		this.application.reload(properties());
		this.application.reload(properties(EXPORTS));
		assertThat(gauge(HoldingApplication.RULE)).isEqualTo(1);
		gate().open();
		requests.forEach(CompletableFuture::join);
	}

	@ParameterizedTest
	@ValueSource(strings = { "unlimited=true", "blocked=true", "limit=1" })
	void permitIsReleasedIfAnOverrideOfTheCallerBegins(String override) {
		String key = "overridden" + override.length();
		List<CompletableFuture<Response>> requests = arrive(1, "/gate?status=200&k=" + key);
		try {
			this.application.reload(RunningApplication.with(properties(EXPORTS), "tierlimit.overrides.o.rules=exports",
					"tierlimit.overrides.o.key=key:" + key, "tierlimit.overrides.o." + override));
			gate().open();
			requests.forEach(CompletableFuture::join);
			Poll.until(() -> held().now(key) == 0, () -> "In use are " + held().now(key));
		}
		finally {
			this.application.reload(properties(EXPORTS));
		}
	}

	/** Sends requests, and waits until their handlers run. */
	private List<CompletableFuture<Response>> arrive(int count, String path) {
		List<CompletableFuture<Response>> requests = Stream.generate(() -> this.application.getLater(path))
			.limit(count)
			.toList();
		Poll.until(() -> gate().arrived.get() == count, () -> "Arrived are " + gate().arrived);
		return requests;
	}

	/** The request has released its permit, and held one permit before. */
	private void assertReleased(String key) {
		Poll.until(() -> held().now(key) == 0, () -> "In use are " + held().now(key));
		assertThat(held().most(key)).as("in use during the request").isEqualTo(1);
	}

	private double gauge(String rule) {
		return this.application.bean(MeterRegistry.class)
			.get("tierlimit.permits.in.use")
			.tag("rule", rule)
			.gauge()
			.value();
	}

	private Held held() {
		return this.application.bean(Held.class);
	}

	private Gate gate() {
		return this.application.bean(Gate.class);
	}

}
