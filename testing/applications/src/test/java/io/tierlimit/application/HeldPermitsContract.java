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
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests the permits that requests hold until their responses are complete, for every
 * store. Each test has its own keys.
 */
@TestInstance(Lifecycle.PER_CLASS)
@Tag("slow")
abstract class HeldPermitsContract {

	/** The server of tests whose results do not depend on the server. */
	static final String TOMCAT = "tomcat";

	private static final String[] EXPORTS = { "exports.algorithm=concurrency", "exports.limit=2",
			"exports.key=param('k')", "exports.on-missing-key=skip" };

	/** Rules for some requests, each with the same key. */
	private static final String[] OTHERS = { "rated.paths=/late", "rated.rate=1/d", "rated.key=param('k')",
			"shadowed.paths=/deferred", "shadowed.algorithm=concurrency", "shadowed.limit=1", "shadowed.mode=shadow",
			"shadowed.key=param('k')", "heavy.paths=/future", "heavy.algorithm=concurrency", "heavy.limit=5",
			"heavy.cost=2", "heavy.key=param('k')", "named.paths=/named", "named.algorithm=concurrency",
			"named.limit=1", "named.key=param('k')" };

	RunningApplication application;

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

	@Test
	void timeoutThatInterruptsATaskReleasesThePermit() {
		assertThat(this.application.get("/task?k=task").status()).isIn(500, 503);
		assertReleased("task");
	}

	@Test
	@Tag(TOMCAT)
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
	@Tag(TOMCAT)
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
	@Tag(TOMCAT)
	void ruleInShadowModeHoldsOnlyThePermitsThatAreAvailable() {
		List<CompletableFuture<Response>> requests = arrive(2, "/deferred?status=200&k=shadow");
		assertThat(held().now("shadowed", "shadow")).isEqualTo(1);
		assertThat(gauge("shadowed")).isEqualTo(1);
		gate().open();
		assertThat(requests).allMatch((request) -> request.join().status() == 200);
		Poll.until(() -> held().now("shadowed", "shadow") == 0, () -> "Permits are in use");
	}

	@Test
	@Tag(TOMCAT)
	void requestHoldsAsManyPermitsAsItCosts() {
		List<CompletableFuture<Response>> requests = arrive(2, "/future?status=200&k=heavy");
		assertThat(held().now("heavy", "heavy")).isEqualTo(4);
		assertThat(gauge("heavy")).isEqualTo(4);
		gate().open();
		requests.forEach(CompletableFuture::join);
		Poll.until(() -> held().now("heavy", "heavy") == 0, () -> "Permits are in use");
	}

	@ParameterizedTest
	@Tag(TOMCAT)
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
	@Tag(TOMCAT)
	void permitOfARuleThatIsRemovedAndAddedAgainIsCounted() {
		List<CompletableFuture<Response>> requests = arrive(1, "/gate?status=200&k=again");
		this.application.reload(properties());
		this.application.reload(properties(EXPORTS));
		assertThat(gauge(HoldingApplication.RULE)).isEqualTo(1);
		gate().open();
		requests.forEach(CompletableFuture::join);
	}

	@ParameterizedTest
	@Tag(TOMCAT)
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
	List<CompletableFuture<Response>> arrive(int count, String path) {
		List<CompletableFuture<Response>> requests = Stream.generate(() -> this.application.getLater(path))
			.limit(count)
			.toList();
		Poll.until(() -> gate().arrived.get() == count, () -> "Arrived are " + gate().arrived);
		return requests;
	}

	/** The request has released its permit, and held one permit before. */
	void assertReleased(String key) {
		Poll.until(() -> held().now(key) == 0, () -> "In use are " + held().now(key));
		assertThat(held().most(key)).as("in use during the request").isEqualTo(1);
	}

	double gauge(String rule) {
		return this.application.bean(MeterRegistry.class)
			.get("tierlimit.permits.in.use")
			.tag("rule", rule)
			.gauge()
			.value();
	}

	Held held() {
		return this.application.bean(Held.class);
	}

	Gate gate() {
		return this.application.bean(Gate.class);
	}

}
