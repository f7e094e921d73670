package io.tierlimit.application;

import java.net.URLEncoder;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import io.tierlimit.RateLimiter;
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
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests that the actual cost of a request replaces its estimate once, whatever its end,
 * for every store. Each test has its own keys, and each rule estimates 10 of 100 permits,
 * which do not refill in a test.
 */
@TestInstance(Lifecycle.PER_CLASS)
@Tag("slow")
abstract class SettledCostsContract {

	/** The rules for all requests with a key, and their actual costs. */
	private static final Map<String, String> COSTS = Map.of("tokens", "responseHeader('X-Tokens')", "bounded",
			"responseHeader('X-Tokens')", "bytes", "responseBytes", "status", "status == 200 ? 3 : 0", "sent",
			"requestBytes", "time", "duration", "used", "requestAttribute('used')", "metered", "metered");

	private static final String[] OTHERS = { "bounded.max-debt=20", "exports.algorithm=concurrency", "exports.limit=9",
			"exports.key=param('k')", "exports.on-missing-key=skip", "rated.rate=1/d", "rated.burst=100",
			"rated.key=param('k')", "rated.on-missing-key=skip", "called.applies-to=code", "named.paths=/named",
			"named.algorithm=concurrency", "named.limit=9", "charged.paths=/metered", "charged.charge-on=2xx",
			"reached.paths=/status" };

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

	abstract String[] store();

	void stopStore() {
	}

	@BeforeAll
	void start() {
		this.application = RunningApplication.start(SettlingApplication.class, properties());
	}

	/** The properties of the application, with other rules. */
	private String[] properties(String... more) {
		Stream<String> settled = COSTS.entrySet().stream().flatMap((each) -> rule(each.getKey(), each.getValue()));
		Stream<String> others = Stream
			.of(rule("called", "requestAttribute('used')"), rule("charged", "metered"),
					rule("reached", "responseHeader('X-Tokens')"), Arrays.stream(OTHERS), Arrays.stream(more))
			.flatMap((each) -> each);
		String[] rules = RunningApplication.rules(Stream.concat(settled, others).toArray(String[]::new));
		return RunningApplication.with(store(),
				RunningApplication.with(rules, "tierlimit.keys.hash=none", "server.shutdown=immediate"));
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
			stopStore();
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
			assertSettled(key, Map.of("tokens", tokens, "bounded", tokens, "bytes", bytes, "status",
					(status == 200) ? 3L : 0L, "sent", 0L, "time", 0L, "used", 7L, "metered", 10L));
		}
	}

	@ParameterizedTest
	@CsvSource({ "0, 0, 0", "4, 4, 4", "10, 10, 10", "25, 25, 25", "120, 120, 120", "121, 121, 120", "200, 200, 120",
			"201, 200, 120" })
	void costAboveTheMaximumDebtIsDropped(long tokens, long consumed, long bounded) {
		String key = "tokens" + tokens;
		this.application.get("/status?status=200&tokens=" + tokens + "&k=" + key);
		assertSettled("tokens", key, consumed);
		assertSettled("bounded", key, bounded);
	}

	@Test
	void debtRejectsRequestsWhichCostNothing() {
		this.application.get("/status?status=200&tokens=91&k=rejected");
		assertSettled("bounded", "rejected", 91);
		assertThat(this.application.get("/status?status=200&tokens=50&k=rejected").status()).isEqualTo(429);
		assertSettled("bounded", "rejected", 91);
		assertUndisturbed("rejected");
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
	@CsvSource({ "metered=0, 0", "metered=4, 4", "metered=10, 10", "metered=25, 25", "metered=201, 200", "settled=0, 0",
			"settled=4, 4", "settled=25, 25", "metered=25&settled=4, 25", "metered=4&settled=25, 25",
			"metered=4&settled=6, 6" })
	void costThatCodeReportsIsSettled(String report, long consumed) {
		gate().open();
		for (String path : List.of("/status", "/callable", "/exception", "/early/deferred")) {
			String key = path + report;
			this.application.get(path + "?status=200&" + report + "&k=" + encoded(key));
			assertSettled("metered", key, consumed);
			assertSettled("tokens", key, 10);
		}
	}

	@Test
	void headerOfAnAsynchronousResponseIsTheCost() {
		for (long tokens : DIFFERENT) {
			String key = "header" + tokens;
			assertThat(this.application.get("/tokens/async?total=" + tokens + "&k=" + key).status()).isEqualTo(200);
			assertSettled("tokens", key, tokens);
		}
	}

	@Test
	void bytesOfTheBodyAreTheCost() {
		this.application.send("POST", "/posted?status=200&k=body", BodyPublishers.ofString("x".repeat(17)));
		assertSettled("sent", "body", 17);
		assertSettled("bytes", "body", 4);
	}

	@ParameterizedTest
	@ValueSource(strings = { "/gate", "/callable", "/streaming" })
	void durationIsTheCost(String path) {
		String key = "time" + path;
		CompletableFuture<Response> request = arrive(path + "?status=200&k=" + key);
		this.application.clock().advance(Duration.ofMillis(27));
		gate().open();
		request.join();
		assertSettled("time", key, 27);
	}

	@Test
	void preflightIsFree() {
		this.application.raw()
			.send("OPTIONS /shared?tokens=4&metered=30&k=preflight HTTP/1.1",
					"Origin: https://example.com\r\nAccess-Control-Request-Method: GET\r\n", "");
		COSTS.keySet().forEach((rule) -> assertSettled(rule, "preflight", 0));
	}

	@Test
	void rejectionBySpringSecurityIsSettled() {
		assertThat(this.application.get("/mine?tokens=4&k=mine").status()).isEqualTo(401);
		assertSettled("mine", Map.of("tokens", 10L, "bounded", 10L, "bytes", 0L, "status", 0L, "sent", 0L, "time", 0L,
				"used", 10L, "metered", 10L));
	}

	@ParameterizedTest
	@ValueSource(strings = { "/calling", "/calling/async" })
	void chargeOfAnAnnotatedMethodIsSettledAtTheEndOfTheRequest(String path) {
		for (long used : DIFFERENT) {
			String name = "called" + path + used;
			assertThat(this.application.get(path + "?name=" + name + "&used=" + used).status()).isEqualTo(200);
			assertSettled("called", name, used);
		}
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

	@Test
	void costIsNotReportedOutsideOfRequestsOrIfItIsFinal() {
		RateLimiter limiter = this.application.bean(RateLimiter.class);
		assertThatIllegalStateException().isThrownBy(() -> limiter.estimatedCost("metered"))
			.withMessageContaining("serves no request");
		assertThatIllegalArgumentException().isThrownBy(() -> limiter.estimatedCost(limiter.tryAcquire(), "rated"))
			.withMessageContaining("'rated'");
	}

	@ParameterizedTest
	@CsvSource({ "200, 10, 4, 4", "200, 25, 25, 25", "404, 10, 0, 4", "404, 25, 15, 25" })
	void outcomeDecidesFirstAndMeteredPermitsRemain(int status, long during, long charged, long other) {
		String key = "outcome" + status + during;
		CompletableFuture<Response> request = arrive("/metered?status=" + status + "&total=" + other + "&k=" + key);
		awaitConsumed("charged", key, during);
		awaitConsumed("metered", key, during);
		gate().open();
		request.join();
		assertSettled("charged", key, charged);
		assertSettled("metered", key, other);
	}

	@ParameterizedTest
	@ValueSource(strings = { "/status", "/forwarding", "/forwarding/handler", "/moved", "/early/status" })
	void ruleOfTheTargetOfAForwardSettlesOnce(String path) {
		for (long tokens : DIFFERENT) {
			String key = "reached" + path + tokens;
			this.application.get(path + "?status=200&tokens=" + tokens + "&k=" + key);
			assertSettled("reached", key, tokens);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "tokens.actual-cost=status", "tokens.cost=20", "tokens.max-debt=0", "tokens.enabled=false",
			"tokens.mode=shadow", "tokens.rate=2/d", "tokens.applies-to=code", "tokens.key=param('other')",
			"other.rate=1/d" })
	void costIsSettledAsTheRequestBeganIfTheRuleChanges(String change) {
		assertSettledDespite("changed" + change.hashCode(), properties(change));
	}

	@ParameterizedTest
	@ValueSource(strings = { "unlimited=true", "blocked=true", "rate=1/d" })
	void costIsSettledIfAnOverrideOfTheCallerBegins(String override) {
		String key = "overridden" + override.length();
		assertSettledDespite(key, RunningApplication.with(properties(), "tierlimit.overrides.o.rules=tokens",
				"tierlimit.overrides.o.key=key:" + key, "tierlimit.overrides.o." + override));
	}

	private void assertSettledDespite(String key, String[] reloaded) {
		CompletableFuture<Response> lower = arrive("/gate?status=200&tokens=3&k=" + key);
		CompletableFuture<Response> higher = this.application.getLater("/gate?status=200&tokens=25&k=" + key);
		Poll.until(() -> gate().arrived.get() == 2, () -> "Arrived are " + gate().arrived);
		try {
			this.application.reload(reloaded);
			gate().open();
			CompletableFuture.allOf(lower, higher).join();
			assertSettled("tokens", key, 3 + 25);
		}
		finally {
			this.application.reload(properties());
		}
	}

	/** Sends a request, and waits until its handler runs. */
	private CompletableFuture<Response> arrive(String path) {
		CompletableFuture<Response> request = this.application.getLater(path);
		awaitArrival();
		return request;
	}

	private void awaitArrival() {
		Poll.until(() -> gate().arrived.get() == 1, () -> "No request has arrived");
	}

	private static String encoded(String key) {
		return URLEncoder.encode(key, StandardCharsets.UTF_8);
	}

	/** No rule is cheaper than its estimate, except the rule whose cost code reports. */
	private void assertEndedEarly(String key, long metered) {
		assertSettled(key, Map.of("tokens", 25L, "bounded", 25L, "status", 10L, "sent", 10L, "time", 10L, "used", 10L,
				"metered", metered));
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
