package io.tierlimit.application;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import io.micrometer.core.instrument.MeterRegistry;
import io.tierlimit.application.EndingApplication.Gate;
import io.tierlimit.application.HoldingApplication.Held;
import io.tierlimit.application.RunningApplication.Response;
import io.tierlimit.junit.Poll;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.BucketStore;
import io.tierlimit.store.Charge;
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
 * Tests that the actual cost of a request replaces its estimate once, and that a request
 * releases its permits in use, whatever its end. Each test has its own keys, and each
 * rule with a rate has 100 permits, which do not refill in a test.
 */
@TestInstance(Lifecycle.PER_CLASS)
@Tag("slow")
class EndedRequestTests {

	/** The server of tests whose results do not depend on the server. */
	private static final String TOMCAT = "tomcat";

	/** The rules for all requests with a key, and their actual costs. */
	private static final Map<String, String> COSTS = Map.of("tokens", "responseHeader('X-Tokens')", "bytes",
			"responseBytes", "status", "status == 200 ? 3 : 0", "sent", "requestBytes", "time", "duration", "used",
			"requestAttribute('used')", "metered", "metered", "admitted", "status == 429 ? 0 : 1");

	private static final String[] OTHERS = { "exports.algorithm=concurrency", "exports.limit=2",
			"exports.key=param('k')", "exports.on-missing-key=skip", "rated.rate=1/d", "rated.burst=100",
			"rated.key=param('k')", "rated.on-missing-key=skip", "named.paths=/named", "named.algorithm=concurrency",
			"named.limit=1", "named.key=param('k')", "service.rate=1/d", "service.applies-to=code" };

	private static final long DAY = Duration.ofDays(1).toNanos() / 1000;

	/** Longer than the timeout of an asynchronous request. */
	private static final Duration PATIENCE = Duration.ofSeconds(60);

	/** Actual costs below and above the estimate. */
	private static final List<Long> DIFFERENT = List.of(4L, 25L);

	/** What code reports during a request, and the cost if its response ends early. */
	private static final Map<String, Long> REPORTS = Map.of("", 10L, "metered=4", 4L, "metered=25", 25L, "settled=6",
			6L, "metered=25&settled=6", 25L);

	/** The permits that requests have consumed. */
	private final Map<BucketKey, Long> settled = new LinkedHashMap<>();

	private RunningApplication application;

	@BeforeAll
	void start() {
		this.application = RunningApplication.start(SettlingApplication.class, properties());
	}

	private static String[] properties() {
		Stream<String> settled = COSTS.entrySet().stream().flatMap((each) -> rule(each.getKey(), each.getValue()));
		String[] rules = RunningApplication.rules(Stream.concat(settled, Arrays.stream(OTHERS)).toArray(String[]::new));
		return RunningApplication.with(rules, "tierlimit.keys.hash=none", "server.shutdown=immediate");
	}

	private static Stream<String> rule(String rule, String actualCost) {
		return Stream
			.of("rate=1/d", "burst=100", "cost=10", "key=param('k')", "on-missing-key=skip",
					"actual-cost=" + actualCost)
			.map((property) -> rule + "." + property);
	}

	@AfterAll
	void stop() {
		try {
			assertNothingIsSettledTwice();
		}
		finally {
			this.application.close();
		}
	}

	private void assertNothingIsSettledTwice() {
		this.settled
			.forEach((bucket, consumed) -> assertThat(consumed(bucket)).as(bucket.toString()).isEqualTo(consumed));
	}

	@BeforeEach
	void begin() {
		gate().close();
	}

	@AfterEach
	void end() {
		gate().open();
		for (String rule : List.of(HoldingApplication.RULE, "named")) {
			Poll.until(() -> gauge(rule) == 0, () -> rule + ": permits in use are " + gauge(rule));
		}
	}

	@ParameterizedTest
	@CsvSource({ "/status, 200, 4", "/status, 404, 4", "/status, 503, 4", "/unknown, 404, 0", "/error-page, 401, 0",
			"/error-page, 500, 0", "/exception, 500, 0", "/io-exception, 500, 0", "/uncommitted, 500, 0",
			"/callable, 200, 4", "/callable/exception, 500, 0", "/deferred, 200, 4", "/deferred, 503, 4",
			"/future, 200, 4", "/future/exception, 500, 0", "/rounds, 200, 0", "/rounds, 500, 0", "/timeout, 503, 0",
			"/streaming, 200, 12", "/text, 200, 3", "/events/complete, 200, 12", "/forwarding, 200, 4",
			"/forwarding/handler, 200, 4", "/including, 200, 4", "/moved, 200, 4", "/early/status, 200, 4",
			"/early/deferred, 200, 4", "/early/exception, 500, 0", "/gate, 200, 4", "/named, 200, 4",
			"/named, 500, 4" })
	void completeResponseCostsWhatItReports(String path, int status, long bytes) {
		gate().open();
		for (long tokens : DIFFERENT) {
			String key = path + status + tokens;
			assertThat(this.application.get(path + "?status=" + status + "&tokens=" + tokens + "&used=7&k=" + key)
				.status()).isEqualTo(status);
			assertSettled(key, Map.of("tokens", tokens, "bytes", bytes, "status", (status == 200) ? 3L : 0L, "sent", 0L,
					"time", 0L, "used", 7L, "metered", 10L));
			assertThat(held().most(key)).as("permits in use during the request").isEqualTo(1);
		}
	}

	@Test
	void requestThatALimitOfAServiceRejectsMayCostNothing() {
		assertThat(this.application.get("/limited?k=limited").status()).isEqualTo(429);
		assertSettled("admitted", "limited", 0);
		assertUndisturbed("limited");
		assertThat(this.application.get("/status?status=200&k=served").status()).isEqualTo(200);
		assertSettled("admitted", "served", 1);
	}

	@ParameterizedTest
	@ValueSource(strings = { "/committed", "/streaming/exception", "/failing-late", "/unfinished" })
	void responseThatEndsEarlyCostsAtLeastTheEstimateOrWhatCodeHasReported(String path) {
		// Together, because Tomcat looks for requests that have timed out once per
		// second.
		List<CompletableFuture<Void>> requests = REPORTS.keySet()
			.stream()
			.map((report) -> CompletableFuture.runAsync(() -> this.application.raw()
				.send("GET " + path + "?timeout=100&status=200&tokens=25&used=3&" + report + "&k="
						+ encoded(path + report) + " HTTP/1.1", "", "")))
			.toList();
		requests.forEach(CompletableFuture::join);
		REPORTS.forEach((report, metered) -> assertEndedEarly(path + report, metered));
	}

	@ParameterizedTest
	@ValueSource(strings = { "/leaving", "/leaving/async", "/leaving/servlet", "/leaving/quietly", "/events" })
	void abortedResponseCostsAtLeastTheEstimateOrWhatCodeHasReported(String path) {
		REPORTS.forEach((report, metered) -> {
			gate().close();
			String key = path + report;
			this.application.raw()
				.reset("GET " + path + "?tokens=25&used=3&" + report + "&k=" + encoded(key) + " HTTP/1.1",
						this::awaitArrival);
			gate().open();
			assertEndedEarly(key, metered);
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "/gate", "/callable", "/streaming" })
	void durationIsTheCost(String path) {
		String key = "time" + path;
		CompletableFuture<Response> request = arrive(1, path + "?status=200&k=" + key).get(0);
		this.application.clock().advance(Duration.ofMillis(27));
		gate().open();
		request.join();
		assertSettled("time", key, 27);
	}

	@Test
	void preflightIsFree() {
		this.application.raw()
			.send("OPTIONS /shared?tokens=4&k=preflight HTTP/1.1",
					"Origin: https://example.com\r\nAccess-Control-Request-Method: GET\r\n", "");
		COSTS.keySet().forEach((rule) -> assertSettled(rule, "preflight", 0));
		Poll.until(() -> held().now("preflight") == 0, () -> "Permits are in use");
	}

	@Test
	void rejectionBySpringSecurityIsSettled() {
		assertThat(this.application.get("/mine?tokens=4&k=mine").status()).isEqualTo(401);
		assertSettled("mine",
				Map.of("tokens", 10L, "bytes", 0L, "status", 0L, "sent", 0L, "time", 0L, "used", 10L, "metered", 10L));
	}

	@Test
	void reportOnAnotherThreadIsSettledAndALaterReportHasNoEffect() {
		for (long actual : DIFFERENT) {
			gate().close();
			String key = "reporting" + actual;
			assertThat(this.application.get("/reporting?actual=" + actual + "&k=" + key).status()).isEqualTo(200);
			assertSettled("metered", key, actual);
			gate().open();
			assertThat(this.application.bean(SettlingApplication.Handlers.class).isSettledLate()).isFalse();
		}
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
	void headAndNotModifiedReleaseThePermit() {
		assertThat(this.application.send("HEAD", "/status?status=200&k=head").status()).isEqualTo(200);
		assertReleased("head");
		assertThat(this.application.get("/cached?k=cached", "If-None-Match", "\"x\"").status()).isEqualTo(304);
		assertReleased("cached");
	}

	@Test
	@Tag(TOMCAT)
	void handshakeReleasesThePermit() {
		assertThat(this.application.raw()
			.statusOf("GET /upgrade?k=upgrade HTTP/1.1", "Connection: Upgrade\r\nUpgrade: echo\r\n")).isEqualTo(101);
		assertReleased("upgrade");
	}

	@Test
	void timeoutThatInterruptsATaskReleasesThePermit() {
		assertThat(this.application.get("/task?k=task").status()).isIn(500, 503);
		assertReleased("task");
	}

	@Test
	@Tag(TOMCAT)
	void rejectionByPermitsInUseConsumesNoPermitsOfARate() {
		List<CompletableFuture<Response>> exports = arrive(2, "/gate?status=200&k=full");
		Response rejected = this.application.get("/gate?status=200&k=full");
		assertThat(rejected.status()).isEqualTo(429);
		assertThat(rejected.header("RateLimit-Policy")).contains("\"exports\";q=2;qu=\"concurrent-requests\"");
		assertThat(rejected.header("RateLimit")).isEqualTo("\"exports\";r=0");
		assertThat(rejected.header("Retry-After")).isEmpty();
		assertThat(rejected.jsons("$.violated-policies[*]")).containsExactly("exports");
		assertThat(rejected.body()).doesNotContain("retry-after");
		assertThat(held().now("full")).isEqualTo(2);
		assertThat(consumed(new BucketKey("rated", "full"))).as("of the requests in flight").isEqualTo(2);
		gate().open();
		exports.forEach(CompletableFuture::join);
		Poll.until(() -> held().now("full") == 0, () -> "In use are " + held().now("full"));
		assertThat(this.application.get("/gate?status=200&k=full").status()).isEqualTo(200);
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

	/** Sends requests, and waits until their handlers run. */
	private List<CompletableFuture<Response>> arrive(int count, String path) {
		List<CompletableFuture<Response>> requests = Stream.generate(() -> this.application.getLater(path))
			.limit(count)
			.toList();
		Poll.until(() -> gate().arrived.get() == count, () -> "Arrived are " + gate().arrived);
		return requests;
	}

	private void awaitArrival() {
		Poll.until(() -> gate().arrived.get() == 1, () -> "No request has arrived");
	}

	private static String encoded(String key) {
		return URLEncoder.encode(key, StandardCharsets.UTF_8);
	}

	/** No rule is cheaper than its estimate, except the rule whose cost code reports. */
	private void assertEndedEarly(String key, long metered) {
		assertSettled(key,
				Map.of("tokens", 25L, "status", 10L, "sent", 10L, "time", 10L, "used", 10L, "metered", metered));
	}

	/**
	 * All rules for requests with a key have settled, the others have charged one permit,
	 * and no permit is in use.
	 */
	private void assertSettled(String key, Map<String, Long> consumed) {
		Poll.until(() -> held().now(key) == 0, () -> "In use are " + held().now(key));
		consumed.forEach((rule, permits) -> assertSettled(rule, key, permits));
		assertUndisturbed(key);
	}

	private void assertUndisturbed(String key) {
		assertSettled("rated", key, 1);
	}

	/** The cost is settled, and remains until the end of all tests. */
	private void assertSettled(String rule, String key, long consumed) {
		this.settled.put(new BucketKey(rule, key), consumed);
		awaitConsumed(rule, key, consumed);
	}

	private void awaitConsumed(String rule, String key, long expected) {
		BucketKey bucket = new BucketKey(rule, key);
		Poll.until(PATIENCE, () -> consumed(bucket) == expected,
				() -> bucket + ": consumed are " + consumed(bucket) + " in place of " + expected);
	}

	/** The permits that are missing in a bucket, including what it owes. */
	private long consumed(BucketKey bucket) {
		Charge level = new Charge(bucket, new TokenBucket(Rate.parse("1/d"), 100), 0);
		long ticks = this.application.bean(BucketStore.class).peek(List.of(level)).decisions().get(0).resetTicks();
		return -Math.floorDiv(-ticks, DAY);
	}

	private Held held() {
		return this.application.bean(Held.class);
	}

	private Gate gate() {
		return this.application.bean(Gate.class);
	}

}
