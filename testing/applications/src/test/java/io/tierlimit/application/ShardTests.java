package io.tierlimit.application;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

import io.micrometer.core.instrument.MeterRegistry;
import io.tierlimit.PermitRequest;
import io.tierlimit.RateLimiter;
import io.tierlimit.Verdict;
import io.tierlimit.application.RunningApplication.Response;
import io.tierlimit.junit.Poll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests rules whose buckets are spread over shards, over HTTP. Shards are drawn at
 * random, so the tests do not depend on the shard that decides a request.
 */
@Tag("slow")
class ShardTests {

	private static final String[] ALL = { "tierlimit.rules.all.rate=40/d", "tierlimit.rules.all.shards=4",
			"tierlimit.web.limits-path=/limits", "management.endpoints.web.exposure.include=*",
			"management.endpoint.ratelimits.access=unrestricted" };

	@RegisterExtension
	static final SharedApplications applications = new SharedApplications();

	@Test
	void headersAndOtherViewsShowTheSumOfAllShards() {
		RunningApplication application = start();
		Response first = application.get("/any");
		assertThat(first.header("RateLimit-Policy")).isEqualTo("\"all\";q=40;w=86400");
		assertThat(remaining(first)).isEqualTo(39);
		for (long left = 38; left > 20; left--) {
			assertThat(remaining(application.get("/any"))).isEqualTo(left);
		}
		Response limits = application.get("/limits");
		assertThat(limits.json("$.limits[0].limit")).isEqualTo(40);
		assertThat(limits.json("$.limits[0].remaining")).isEqualTo(21);
		assertThat(left(application)).isEqualTo(21);
	}

	@Test
	void responseIsAsDocumented(@TempDir Path directory) {
		DocumentationPage page = DocumentationPage.of("shards");
		try (RunningApplication application = RunningApplication.start(TestApplication.class,
				page.configuration(directory))) {
			page.assertResponse(0, application.get("/any"));
		}
	}

	@Test
	void allPermitsAreConsumedAndNoMore() {
		RunningApplication application = applications.startOwn(TestApplication.class, ALL);
		assertThat(consumeAll(application)).isEqualTo(40);
		Response rejected = application.get("/any");
		assertThat(rejected.status()).isEqualTo(429);
		assertThat(remaining(rejected)).isZero();
		assertThat(Long.parseLong(rejected.header("Retry-After"))).as("the next permit of a shard")
			.isBetween(1L, 4L * 86400 / 40);
		application.clock().advance(Duration.ofDays(1));
		assertThat(consumeAll(application)).isEqualTo(40);
	}

	@Test
	void fixedWindowIsConsumedOnceInEachWindow() {
		RunningApplication application = applications.startOwn(TestApplication.class, ALL,
				"tierlimit.rules.all.rate=10/h", "tierlimit.rules.all.algorithm=fixed-window",
				"tierlimit.rules.all.window.start=0s");
		for (int window = 0; window < 3; window++) {
			assertThat(consumeAll(application)).isEqualTo(10);
			Response rejected = application.get("/any");
			assertThat(rejected.header("RateLimit-Policy")).isEqualTo("\"all\";q=10;w=3600");
			assertThat(rejected.header("Retry-After")).isEqualTo("3600");
			application.clock().advance(Duration.ofHours(1));
		}
	}

	@Test
	void costAboveTheBurstOfAShardIsConsumedFromAllShards() {
		RunningApplication application = start("tierlimit.rules.all.cost=35");
		assertThat(remaining(application.get("/any"))).isEqualTo(5);
		assertThat(application.get("/any").status()).isEqualTo(429);
		assertThat(left(application)).isEqualTo(5);
	}

	/** The rule per user is decided after authentication, in a second call. */
	@ParameterizedTest
	@ValueSource(strings = { "user", "ip" })
	void rejectionByAnotherRuleConsumesNothing(String scope) {
		RunningApplication application = start("tierlimit.rules.caller.rate=3/d",
				"tierlimit.rules.caller.scope=" + scope);
		for (int i = 0; i < 10; i++) {
			assertThat(application.getAs("alice", "/any").status()).isEqualTo((i < 3) ? 200 : 429);
		}
		assertThat(left(application)).isEqualTo(37);
	}

	@Test
	void rejectionByTheSharedRuleConsumesNothingFromTheCaller() {
		RunningApplication application = start("tierlimit.rules.caller.rate=3/d", "tierlimit.rules.caller.scope=ip");
		application.bean(RateLimiter.class).acquire(PermitRequest.of("all").cost(40));
		assertThat(application.statuses(5, "/any")).containsOnly(429);
		application.bean(RateLimiter.class).reset(PermitRequest.of("all"));
		assertThat(application.get("/any").rateLimit().get("caller")).containsEntry("r", 2L);
	}

	@Test
	void endpointShowsOneBucketAndResetsAllShards() {
		RunningApplication application = start();
		consumeAll(application);
		Response rule = application.get("/actuator/ratelimits/all");
		assertThat(rule.json("$.shards")).isEqualTo(4);
		assertThat(rule.json("$.limit.burst")).isEqualTo(40);
		for (String bucket : new String[] { "/all?key=", "?address=127.0.0.1", "?user=alice" }) {
			Response shown = application.get("/actuator/ratelimits" + bucket);
			assertThat(shown.jsons("$.buckets[*].rule")).as(bucket).containsExactly("all");
			assertThat(shown.jsons("$.buckets[*].key")).containsExactly("");
			assertThat(shown.jsons("$.buckets[*].permits")).containsExactly(0);
			assertThat(shown.jsons("$.buckets[*].capacity")).containsExactly(40);
		}
		assertThat(application.send("DELETE", "/actuator/ratelimits/all").status()).isEqualTo(204);
		assertThat(left(application)).isEqualTo(40);
	}

	@Test
	void resetByCodeFillsAllShards() {
		RunningApplication application = start();
		RateLimiter limiter = application.bean(RateLimiter.class);
		consumeAll(application);
		assertThat(limiter.reset(PermitRequest.of("all"))).isTrue();
		assertThat(left(application)).isEqualTo(40);
		consumeAll(application);
		assertThat(limiter.resetAll("all")).isTrue();
		assertThat(left(application)).isEqualTo(40);
	}

	@Test
	void requestIsCountedOnce() {
		RunningApplication application = applications.startOwn(TestApplication.class, ALL);
		assertThat(application.statuses(20, "/any")).containsOnly(200);
		application.bean(RateLimiter.class).acquire(PermitRequest.of("all").cost(20));
		assertThat(application.statuses(3, "/any")).containsOnly(429);
		// A request is counted when it ends, which may be after its response.
		Poll.until(() -> count(application, "allowed") + count(application, "rejected") >= 24, () -> "not counted");
		assertThat(count(application, "allowed")).isEqualTo(21);
		assertThat(count(application, "rejected")).isEqualTo(3);
		assertThat(application.get("/actuator/ratelimits/all").json("$.totals"))
			.hasToString("{allowed=21, rejected=3}");
	}

	private static double count(RunningApplication application, String outcome) {
		return application.bean(MeterRegistry.class)
			.get("tierlimit.requests")
			.tags("rule", "all", "outcome", outcome)
			.counter()
			.count();
	}

	@Test
	void unlimitedCallersConsumeNothing() {
		RunningApplication application = start("tierlimit.rules.all.plans.pro.unlimited=true",
				"tierlimit.overrides.operator.user=alice", "tierlimit.overrides.operator.unlimited=true");
		for (int i = 0; i < 5; i++) {
			assertThat(application.getAs("bob", "/any").header("RateLimit")).as("plan pro").isEmpty();
			assertThat(application.getAs("alice", "/any").header("RateLimit")).as("override").isEmpty();
		}
		assertThat(left(application)).isEqualTo(40);
	}

	@Test
	void planHasItsOwnShards() {
		RunningApplication application = start("tierlimit.rules.all.plans.pro.rate=8/d");
		application.bean(RateLimiter.class).acquire(PermitRequest.of("all").plan("pro").cost(8));
		assertThat(application.getAs("bob", "/any").status()).isEqualTo(429);
		Response other = application.getAs("alice", "/any");
		assertThat(other.status()).isEqualTo(200);
		assertThat(remaining(other)).isEqualTo(39);
	}

	@Test
	void refundGoesToTheShardThatWasCharged() {
		RunningApplication application = start("tierlimit.rules.all.charge-on=5xx");
		for (int i = 0; i < 50; i++) {
			assertThat(application.get("/any").status()).isEqualTo(200);
			awaitLeft(application, 40);
		}
		for (int i = 0; i < 20; i++) {
			assertThat(application.get("/failing").status()).isEqualTo(500);
		}
		assertThat(left(application)).isEqualTo(20);
		Verdict verdict = application.bean(RateLimiter.class).acquire(PermitRequest.of("all").cost(15));
		assertThat(left(application)).isEqualTo(5);
		application.bean(RateLimiter.class).refund(verdict);
		assertThat(left(application)).isEqualTo(20);
		application.bean(RateLimiter.class).refund(PermitRequest.of("all").cost(10));
		assertThat(left(application)).isEqualTo(30);
	}

	@Test
	void candidateHasShards() {
		RunningApplication application = start("tierlimit.rules.all.candidate.rate=4/d");
		assertThat(application.statuses(20, "/any")).containsOnly(200);
		Response candidate = application.get("/actuator/ratelimits/all.candidate");
		assertThat(candidate.json("$.shards")).isEqualTo(4);
		assertThat(candidate.json("$.totals.allowed")).isEqualTo(4);
	}

	@Test
	void bucketsAreFullOnceAfterTheNumberOfShardsHasChanged() {
		RunningApplication application = applications.startOwn(TestApplication.class, ALL);
		consumeAll(application);
		application.bean(ConfigurableEnvironment.class)
			.getPropertySources()
			.addFirst(new MapPropertySource("changed", Map.of("tierlimit.rules.all.shards", 8)));
		assertThat(application.send("POST", "/actuator/ratelimits").json("$.outcome")).isEqualTo("replaced");
		assertThat(application.get("/actuator/ratelimits/all").json("$.shards")).isEqualTo(8);
		assertThat(left(application)).isEqualTo(40);
		assertThat(consumeAll(application)).isEqualTo(40);
	}

	/** Sends requests until all shards are empty. */
	private static int consumeAll(RunningApplication application) {
		int allowed = 0;
		while (left(application) > 0) {
			allowed += (application.get("/any").status() == 200) ? 1 : 0;
		}
		return allowed;
	}

	/** A request may be refunded after its response. */
	private static void awaitLeft(RunningApplication application, long permits) {
		Poll.until(() -> left(application) == permits, () -> "Left are " + left(application));
	}

	private static long left(RunningApplication application) {
		return application.left(PermitRequest.of("all"));
	}

	private static long remaining(Response response) {
		return response.rateLimit().get("all").get("r");
	}

	private static RunningApplication start(String... properties) {
		return applications.start(TestApplication.class, ALL, properties);
	}

}
