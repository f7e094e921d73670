package io.tierlimit.application;

import java.net.URLEncoder;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;

import io.tierlimit.PermitRequest;
import io.tierlimit.RateLimiter;
import io.tierlimit.application.RunningApplication.Response;
import io.tierlimit.redis.Poll;
import io.tierlimit.redis.RedisServer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests the management endpoint over HTTP.
 */
@Tag("slow")
class RateLimitsEndpointTests {

	private static final String WRITABLE = "management.endpoint.ratelimits.access=unrestricted";

	private static final Map<String, String> DEFAULT_MODE = Map.of("value", "enforce", "origin", "default");

	private static final Map<String, String> OWN_MODE = Map.of("value", "shadow", "origin", "management endpoint");

	@RegisterExtension
	static final SharedApplications applications = new SharedApplications();

	private @Nullable RunningApplication application;

	@Test
	void keyThatTheServerDoesNotAcceptIsAnErrorOfTheClient() {
		start("tierlimit.rules.users.rate=5/d", "tierlimit.rules.users.scope=user");
		assertThat(get("/actuator/ratelimits/users?key=" + "k".repeat(10_000)).status()).as("414 in Jetty")
			.isIn(400, 414);
		assertThat(get("/actuator/ratelimits/users?key=k").status()).isEqualTo(200);
	}

	@Test
	void readingBucketsConsumesNothing() {
		start("tierlimit.rules.users.rate=5/d", "tierlimit.rules.users.scope=user");
		for (int i = 0; i < 10; i++) {
			assertThat(get("/actuator/ratelimits/users?key=ada").jsons("$.buckets[*].permits")).containsExactly(5);
		}
	}

	@Test
	void endpointIsReadOnlyUnlessTheConfigurationAllowsMore() {
		start("tierlimit.rules.users.rate=5/d", "tierlimit.rules.users.scope=user",
				"tierlimit.rules.users.paths=/orders/**");
		running().bean(RateLimiter.class).acquire(PermitRequest.of("users", "ada"));
		assertThat(delete("/actuator/ratelimits/users?key=ada")).isEqualTo(405);
		assertThat(get("/actuator/ratelimits/users?key=ada").jsons("$.buckets[*].permits")).containsExactly(4);
	}

	@Test
	void modeOfTheInstanceStopsRejectionsWithTheNextRequest() {
		start(WRITABLE, "tierlimit.rules.orders.rate=1/d", "tierlimit.rules.orders.paths=/orders/**");
		running().getAs("alice", "/orders/1");
		assertThat(running().getAs("alice", "/orders/1").status()).isEqualTo(429);
		assertThat(get("/actuator/ratelimits").json("$.mode")).isEqualTo(DEFAULT_MODE);
		Response set = mode("{\"mode\":\"shadow\"}");
		assertThat(set.status()).isEqualTo(200);
		assertThat(set.json("$")).isEqualTo(OWN_MODE);
		Response allowed = running().getAs("alice", "/orders/1");
		assertThat(allowed.status()).isEqualTo(200);
		assertThat(allowed.header("RateLimit")).isEmpty();
		assertThat(get("/actuator/ratelimits").json("$.mode")).isEqualTo(OWN_MODE);
		assertThat(get("/actuator/ratelimits").jsons("$.rules[*].mode")).containsExactly("shadow");
		assertThat(running().send("POST", "/actuator/ratelimits").json("$.outcome")).as("a reload")
			.isEqualTo("unchanged");
		assertThat(running().getAs("alice", "/orders/1").status()).isEqualTo(200);
		assertThat(mode("{\"mode\":\"configured\"}").json("$")).isEqualTo(DEFAULT_MODE);
		assertThat(running().getAs("alice", "/orders/1").status()).isEqualTo(429);
	}

	@Test
	void unknownModeIsABadRequest() {
		start(WRITABLE, "tierlimit.rules.orders.rate=1/d");
		assertThat(mode("{\"mode\":\"shadwo\"}").status()).isEqualTo(400);
		assertThat(mode("{\"mod\":\"shadow\"}").status()).isEqualTo(400);
		assertThat(mode("{\"mode\":\"\"}").status()).isEqualTo(400);
		assertThat(get("/actuator/ratelimits").json("$.mode")).isEqualTo(DEFAULT_MODE);
	}

	@Test
	void modeIsReadOnlyUnlessTheConfigurationAllowsMore() {
		start("tierlimit.rules.orders.rate=1/d");
		assertThat(mode("{\"mode\":\"shadow\"}").status()).isEqualTo(405);
		assertThat(get("/actuator/ratelimits").json("$.mode")).isEqualTo(DEFAULT_MODE);
	}

	@Test
	void requestsThatAReadOnlyEndpointDoesNotHaveAreNotRejectedByRulesWithoutPaths() {
		start("tierlimit.rules.all.rate=1/d");
		assertThat(running().getAs("alice", "/orders/1").status()).isEqualTo(200);
		assertThat(running().getAs("alice", "/orders/1").status()).isEqualTo(429);
		assertThat(delete("/actuator/ratelimits/all")).isEqualTo(405);
		assertThat(mode("{\"mode\":\"shadow\"}").status()).isEqualTo(405);
		assertThat(get("/actuator/none").status()).as("not an endpoint").isEqualTo(429);
	}

	/** Spring Security may respond to the error page with 401. */
	@Test
	void badRequestIsNotAnErrorPage() {
		this.application = applications.start(SecuredApplication.class, WRITABLE,
				"management.endpoints.web.exposure.include=ratelimits", "tierlimit.rules.users.rate=5/d",
				"tierlimit.rules.users.scope=user");
		String operator = basic("alice");
		Response mode = running().send("POST", "/actuator/ratelimits", BodyPublishers.ofString("{\"mode\":\"shadwo\"}"),
				"Content-Type", "application/json", "Authorization", operator);
		assertThat(mode.status()).isEqualTo(400);
		assertThat(mode.jsons("$.problems[*]"))
			.containsExactly("mode must be one of shadow, enforce, configured (was 'shadwo')");
		for (String method : List.of("GET", "DELETE")) {
			Response key = running().send(method, "/actuator/ratelimits/users?key=a&key=b", "Authorization", operator);
			assertThat(key.status()).as(method).isEqualTo(400);
			assertThat(key.body()).contains("repeat the parameter 'key' for each part");
		}
	}

	/**
	 * Spring Boot ignores it: the rules would be reloaded, or a bucket would be reset.
	 */
	@Test
	void unknownParameterIsABadRequest() {
		start(WRITABLE, "tierlimit.rules.all.rate=5/d");
		running().bean(RateLimiter.class).acquire(PermitRequest.of("all"));
		Response reload = running().send("POST", "/actuator/ratelimits?mode=shadow");
		assertThat(reload.status()).isEqualTo(400);
		assertThat(reload.jsons("$.problems[*]"))
			.containsExactly("'mode' is not a known property. This operation has no properties. Remove it.");
		Response set = mode("{\"mode\":\"shadow\",\"rule\":\"all\"}");
		assertThat(set.status()).isEqualTo(400);
		assertThat(set.jsons("$.problems[*]"))
			.containsExactly("'rule' is not a known property. Known properties are mode. Correct or remove it.");
		assertThat(get("/actuator/ratelimits").json("$.mode")).isEqualTo(DEFAULT_MODE);
		assertThat(delete("/actuator/ratelimits/all?usr=ada")).isEqualTo(400);
		assertThat(get("/actuator/ratelimits/all?keys=").status()).isEqualTo(400);
		assertThat(get("/actuator/ratelimits?usr=ada").status()).isEqualTo(400);
		assertThat(permits("/actuator/ratelimits/all?key=")).containsExactly(4);
		assertThat(running().send("POST", "/actuator/ratelimits").status()).isEqualTo(200);
	}

	@Test
	void emptyParameterIsLikeAMissingOne() {
		start(WRITABLE, "tierlimit.rules.users.rate=5/d", "tierlimit.rules.users.scope=user",
				"tierlimit.rules.users.plans.pro.rate=10/d");
		assertThat(get("/actuator/ratelimits?user=&address=").jsons("$.rules[*].id")).containsExactly("users");
		assertThat(get("/actuator/ratelimits/users?user=&address=").json("$.id")).isEqualTo("users");
		assertThat(permits("/actuator/ratelimits/users?key=ada&user=&plan=")).containsExactlyInAnyOrder(10, 5);
		assertThat(delete("/actuator/ratelimits/users?user=&address=&plan=")).isEqualTo(400);
	}

	private Response mode(String body) {
		return running().send("POST", "/actuator/ratelimits", BodyPublishers.ofString(body), "Content-Type",
				"application/json");
	}

	@Test
	void endpointIsNotExposedByDefault() {
		this.application = applications.start(TestApplication.class, "tierlimit.rules.all.rate=5/d");
		assertThat(get("/actuator/ratelimits").status()).isEqualTo(404);
		assertThat(get("/actuator/health").status()).isEqualTo(200);
	}

	@Test
	void endpointIsSecuredByTheApplication() {
		this.application = applications.start(SecuredApplication.class, "tierlimit.rules.all.rate=5/d",
				"management.endpoints.web.exposure.include=ratelimits");
		assertThat(get("/actuator/ratelimits").status()).isEqualTo(401);
	}

	@Test
	void keyWithOtherPartsIsABadRequest() {
		start(WRITABLE, "tierlimit.rules.users.rate=5/d", "tierlimit.rules.users.scope=user,endpoint");
		for (String key : List.of("?key=", "?key=a", "?key=a&key=b&key=c")) {
			assertThat(get("/actuator/ratelimits/users" + key).status()).as(key).isEqualTo(400);
			assertThat(delete("/actuator/ratelimits/users" + key)).as(key).isEqualTo(400);
		}
		assertThat(delete("/actuator/ratelimits/users")).as("a mistake never resets all of them").isEqualTo(400);
		assertThat(get("/actuator/ratelimits/none?key=a").status()).isEqualTo(404);
		assertThat(delete("/actuator/ratelimits/none?key=a")).isEqualTo(404);
	}

	@Test
	void planIsPartOfTheKey() {
		start(WRITABLE, "tierlimit.rules.users.rate=5/d", "tierlimit.rules.users.scope=user",
				"tierlimit.rules.users.plans.pro.rate=10/d", "tierlimit.rules.users.plans.gold.unlimited=true");
		running().bean(RateLimiter.class).acquire(PermitRequest.of("users", "ada").on("pro"));
		assertThat(permits("/actuator/ratelimits/users?key=ada")).containsExactlyInAnyOrder(9, 5);
		assertThat(permits("/actuator/ratelimits/users?key=ada&plan=pro")).containsExactly(9);
		assertThat(permits("/actuator/ratelimits/users?key=ada&plan=gold")).isEmpty();
		assertThat(permits("/actuator/ratelimits?user=ada&plan=pro")).containsExactly(9);
		assertThat(delete("/actuator/ratelimits/users?key=ada")).isEqualTo(204);
		assertThat(permits("/actuator/ratelimits/users?key=ada")).containsExactlyInAnyOrder(10, 5);
	}

	@Test
	void userIsFoundInEveryRuleWhoseKeyTheUserDetermines() {
		start("tierlimit.rules.global.rate=100/d", "tierlimit.rules.callers.rate=2/d",
				"tierlimit.rules.callers.scope=user", "tierlimit.rules.orders.rate=5/d",
				"tierlimit.rules.orders.scope=user,endpoint", "tierlimit.rules.tenants.rate=50/d",
				"tierlimit.rules.tenants.scope=tenant", "tierlimit.rules.places.rate=50/d",
				"tierlimit.rules.places.scope=endpoint", "tierlimit.rules.plans.rate=50/d",
				"tierlimit.rules.plans.scope=plan", "tierlimit.rules.networks.rate=20/d",
				"tierlimit.rules.networks.scope=ip");
		for (int i = 0; i < 2; i++) {
			running().get("/orders/1", "Authorization", basic("alice"), "X-Tenant", "acme");
		}
		await(() -> totals("callers"), "{allowed=2}");
		Response found = get("/actuator/ratelimits?user=alice");
		assertThat(found.jsons("$.buckets[*].rule")).as("empty buckets come first")
			.containsExactlyInAnyOrder("callers", "global")
			.startsWith("callers");
		assertThat(found.jsons("$.buckets[?(@.rule == 'callers')].key")).containsExactly("alice");
		assertThat(found.jsons("$.buckets[?(@.rule == 'callers')].empty")).containsExactly(true);
		assertThat(get("/actuator/ratelimits?user=alice&address=127.0.0.1").jsons("$.buckets[*].rule"))
			.containsExactlyInAnyOrder("callers", "global", "networks");
		assertThat(get("/actuator/ratelimits?user=alice&plan=pro").jsons("$.buckets[*].rule"))
			.containsExactlyInAnyOrder("callers", "global", "plans");
	}

	@Test
	void addressIsFoundByTheNetworkThatCountsAsOneClient() {
		start("tierlimit.rules.clients.rate=5/d", "tierlimit.rules.clients.scope=ip", "tierlimit.rules.users.rate=3/d",
				"tierlimit.rules.users.scope=user", "tierlimit.client-ip.trusted-proxies=127.0.0.0/8");
		get("/orders/1", "X-Forwarded-For", "2001:db8:1:2::77");
		await(() -> totals("clients"), "{allowed=1}");
		for (String address : List.of("2001:db8:1:2::1", "2001:DB8:1:2:0:0:0:9", "2001:db8:1:2::/64")) {
			Response found = get("/actuator/ratelimits?address=" + encoded(address));
			assertThat(found.jsons("$.buckets[?(@.rule == 'clients')].permits")).as(address).containsExactly(4);
			assertThat(found.jsons("$.buckets[?(@.rule == 'users')].permits")).as("anonymous").containsExactly(2);
			assertThat(permits("/actuator/ratelimits/clients?key=" + encoded(address))).as(address).containsExactly(4);
		}
		assertThat(permits("/actuator/ratelimits/clients?key=2001:db8:1:3::1")).containsExactly(5);
	}

	@Test
	void bucketOfAnAnonymousCallerIsFoundByAddress() {
		start(WRITABLE, "tierlimit.rules.users.rate=1/d", "tierlimit.rules.users.scope=user",
				"tierlimit.rules.users.paths=/orders/**", "tierlimit.rules.keys.rate=1/d",
				"tierlimit.rules.keys.key=header('X')", "tierlimit.rules.keys.paths=/none");
		get("/orders/1");
		assertThat(get("/orders/1").status()).isEqualTo(429);
		assertThat(permits("/actuator/ratelimits/users?address=127.0.0.1")).containsExactly(0);
		assertThat(permits("/actuator/ratelimits/users?user=ada&address=127.0.0.1")).containsExactly(1);
		assertThat(delete("/actuator/ratelimits/users?address=127.0.0.1")).isEqualTo(204);
		assertThat(get("/orders/1").status()).isEqualTo(200);
		assertThat(get("/actuator/ratelimits/keys?user=ada").status()).as("not determined by the parameters")
			.isEqualTo(400);
		assertThat(delete("/actuator/ratelimits/keys?user=ada")).isEqualTo(400);
	}

	@Test
	void parametersThatDetermineNoBucketAreABadRequest() {
		start("spring.web.error.include-message=always", "tierlimit.rules.plans.rate=5/d",
				"tierlimit.rules.plans.scope=plan", "tierlimit.rules.keys.rate=5/d", "tierlimit.rules.keys.scope=user",
				"tierlimit.rules.keys.key=header('X')", "tierlimit.rules.users.rate=5/d",
				"tierlimit.rules.users.scope=user", "tierlimit.rules.users.plans.gold.unlimited=true");
		assertBadRequest("plans?user=ada", "Rule 'plans' has a bucket for each plan", "parameter 'plan'");
		assertThat(permits("/actuator/ratelimits/plans?user=ada&plan=pro")).containsExactly(5);
		assertBadRequest("keys?user=ada", "rule 'keys'", "[user, key]", "parameter 'key'");
		assertBadRequest("users?user=ada&plan=gold", "do not determine a bucket of rule 'users'");
	}

	private void assertBadRequest(String path, String... message) {
		Response response = get("/actuator/ratelimits/" + path);
		assertThat(response.status()).isEqualTo(400);
		assertThat(response.body()).contains(message);
	}

	@Test
	void localBucketsAreShownAsLocal() {
		try (RedisServer server = RedisServer.start();
				RunningApplication one = startOn(server, "tierlimit.redis.local-share=0.5",
						"tierlimit.rules.users.rate=8/d", "tierlimit.rules.users.scope=user")) {
			this.application = one;
			server.kill();
			for (int i = 0; i < 5; i++) {
				running().getAs("alice", "/orders/1");
			}
			await(() -> totals("users"), "{rejected=1, store-local=4}");
			Response away = get("/actuator/ratelimits?user=alice");
			assertThat(away.json("$.store.reachable")).isEqualTo(false);
			assertThat(away.jsons("$.buckets[*].local")).containsExactly(true);
			assertThat(away.jsons("$.buckets[*].permits")).containsExactly(0);
			assertThat(away.jsons("$.buckets[*].capacity")).containsExactly(4);
			server.restart();
			await(() -> String.valueOf(get("/actuator/ratelimits").json("$.store.reachable")), "true");
			Response back = get("/actuator/ratelimits?user=alice");
			assertThat(back.jsons("$.buckets[*].local")).containsExactly(false);
			assertThat(back.jsons("$.buckets[*].permits")).containsExactly(8);
		}
	}

	@Test
	void bucketsInRedisAreSharedByAllInstances() {
		String[] rule = { "tierlimit.rules.users.rate=5/d", "tierlimit.rules.users.scope=user" };
		try (RedisServer server = RedisServer.start(); RunningApplication one = startOn(server, rule)) {
			this.application = one;
			try (RunningApplication other = startOn(server, rule)) {
				other.bean(RateLimiter.class).acquire(PermitRequest.of("users", "ada"));
			}
			assertThat(permits("/actuator/ratelimits/users?key=ada")).containsExactly(4);
			assertThat(get("/actuator/ratelimits").json("$.store.reachable")).isEqualTo(true);
			assertThat(delete("/actuator/ratelimits/users?key=ada")).isEqualTo(204);
			assertThat(permits("/actuator/ratelimits/users?key=ada")).containsExactly(5);
			server.kill();
			assertThat(get("/actuator/ratelimits/users?key=ada").json("$.store.reachable")).isEqualTo(false);
			assertThat(delete("/actuator/ratelimits/users?key=ada")).isEqualTo(503);
		}
	}

	@Test
	void healthIsUpAndShowsThatTheStoreIsUnavailable() {
		try (RedisServer server = RedisServer.start();
				RunningApplication one = startOn(server, "tierlimit.rules.a.rate=5/d", "tierlimit.rules.b.rate=6/d",
						"tierlimit.rules.c.rate=6/d", "tierlimit.rules.c.on-store-failure=deny",
						"management.endpoint.health.show-details=always")) {
			this.application = one;
			Response well = get("/actuator/health/ratelimit");
			assertThat(well.status()).isEqualTo(200);
			assertThat(well.json("$.details.degraded")).isEqualTo(false);
			assertThat(well.json("$.details.breakers.redis")).isEqualTo("CLOSED");
			assertThat(well.body()).doesNotContain("lastFailure", "rulesByStoreFailurePolicy");
			server.kill();
			Response away = get("/actuator/health/ratelimit");
			assertThat(away.status()).isEqualTo(200);
			assertThat(away.json("$.status")).isEqualTo("UP");
			assertThat(away.json("$.details.reachable")).isEqualTo(false);
			assertThat(away.json("$.details.degraded")).isEqualTo(true);
			assertThat(away.json("$.details.rulesByStoreFailurePolicy.local")).isEqualTo(2);
			assertThat(away.json("$.details.rulesByStoreFailurePolicy.deny")).isEqualTo(1);
			assertThat(away.json("$.details.lastFailure.reason")).asString().isNotEmpty();
		}
	}

	@Test
	void annotationsAreTheOriginOfTheirRules() {
		this.application = applications.start(AnnotatedApplication.class,
				"management.endpoints.web.exposure.include=ratelimits", "tierlimit.rules.named.applies-to=methods",
				"tierlimit.rules.named.rate=2/d", "tierlimit.rules.meta.applies-to=methods",
				"tierlimit.rules.meta.rate=1/d", "tierlimit.rules.request-rule.rate=1/d",
				"tierlimit.rules.request-rule.burst=100", "tierlimit.rules.request-rule.paths=/none",
				"tierlimit.keys.hash=none", "spring.aop.proxy-target-class=false");
		assertThat(get("/actuator/ratelimits").jsons("$.rules[*].origin"))
			.anyMatch((origin) -> origin.toString().startsWith("@RateLimited"))
			.contains("commandLineArgs");
	}

	private void start(String... properties) {
		this.application = applications.start(TestApplication.class, exposed(properties));
	}

	private static RunningApplication startOn(RedisServer server, String... properties) {
		List<String> all = new ArrayList<>(List.of(WRITABLE, "tierlimit.store=redis", "tierlimit.redis.timeout=5s",
				"spring.data.redis.port=" + server.port()));
		all.addAll(List.of(properties));
		return RunningApplication.start(TestApplication.class, exposed(all.toArray(String[]::new)));
	}

	private static String[] exposed(String... properties) {
		List<String> all = new ArrayList<>(List.of(properties));
		all.add("management.endpoints.web.exposure.include=health,ratelimits");
		return all.toArray(String[]::new);
	}

	private RunningApplication running() {
		return Objects.requireNonNull(this.application);
	}

	private Response get(String path, String... headers) {
		return running().get(path, headers);
	}

	private int delete(String path) {
		return running().send("DELETE", path).status();
	}

	private static String basic(String user) {
		return "Basic " + Base64.getEncoder().encodeToString((user + ":secret").getBytes(StandardCharsets.UTF_8));
	}

	private List<Object> permits(String path) {
		return get(path).jsons("$.buckets[*].permits");
	}

	private String totals(String rule) {
		return String.valueOf(get("/actuator/ratelimits/" + rule).json("$.totals"));
	}

	/** A request is counted when it ends, which its client doesn't wait for. */
	private static void await(Supplier<String> actual, String expected) {
		Poll.until(() -> actual.get().equals(expected), () -> "expected " + expected + " but was " + actual.get());
	}

	private static String encoded(String text) {
		return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
	}

}
