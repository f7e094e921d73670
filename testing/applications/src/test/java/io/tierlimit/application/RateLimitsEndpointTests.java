package io.tierlimit.application;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.tierlimit.Hold;
import io.tierlimit.PermitRequest;
import io.tierlimit.RateLimiter;
import io.tierlimit.application.RunningApplication.Response;
import io.tierlimit.junit.Poll;
import io.tierlimit.redis.RedisServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests the management endpoint over HTTP.
 */
@Tag("slow")
class RateLimitsEndpointTests {

	private static final String WRITABLE = "management.endpoint.ratelimits.access=unrestricted";

	private static final Map<String, String> DEFAULT_MODE = Map.of("value", "enforce", "origin", "default");

	private static final Map<String, String> OWN_MODE = Map.of("value", "shadow", "origin", "management endpoint");

	private static final String EXPOSED = "management.endpoints.web.exposure.include=health,ratelimits";

	@RegisterExtension
	static final SharedApplications applications = new SharedApplications();

	private RunningApplication application;

	/**
	 * A rule without paths does not apply to the management endpoints, including
	 * operations that are not supported (405). It applies to a path that has no endpoint
	 * (429).
	 */
	@Test
	void endpointIsReadOnlyUnlessTheConfigurationAllowsMore() {
		start("tierlimit.rules.all.rate=1/d", "tierlimit.rules.users.rate=5/d", "tierlimit.rules.users.scope=user");
		this.application.bean(RateLimiter.class).acquire(PermitRequest.of("users").user("ada"));
		assertThat(this.application.statuses(2, "/orders/1")).containsExactly(200, 429);
		assertThat(delete("/actuator/ratelimits/users?key=user:ada")).isEqualTo(405);
		assertThat(mode("{\"mode\":\"shadow\"}").status()).isEqualTo(405);
		for (int i = 0; i < 10; i++) {
			assertThat(permits("/actuator/ratelimits/users?key=user:ada")).as("reading consumes nothing")
				.containsExactly(4);
		}
		assertThat(get("/actuator/ratelimits").json("$.mode")).isEqualTo(DEFAULT_MODE);
		assertThat(get("/actuator/none").status()).as("not an endpoint").isEqualTo(429);
	}

	/**
	 * Spring Boot ignores unknown properties, so that the rules would be reloaded, or a
	 * bucket would be reset. Spring Security would respond to an error page with 401.
	 */
	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '`',
			textBlock = """
					POST   | ``                               | {"mode":"shadwo"}               | mode must be one of shadow, enforce, configured (was 'shadwo')
					POST   | ``                               | {}                              | Missing parameters: mode
					POST   | ``                               | {"mod":"shadow"}                | 'mod' is not a known property
					POST   | ``                               | {"mode":""}                     | mode must be one of
					POST   | ``                               | {"mode":"shadow","rule":"all"}  | 'rule' is not a known property. Known properties are mode. Correct or remove it.
					POST   | ?mode=shadow                     | ``                              | 'mode' is not a known property. This operation has no properties. Remove it.
					GET    | ?usr=ada                         | ``                              | 'usr'
					GET    | /all?keys=                       | ``                              | 'keys'
					DELETE | /all?usr=ada                     | ``                              | 'usr'
					DELETE | /users?user=&address=&plan=      | ``                              | key
					GET    | /users?key=a                     | ``                              | as in key=user:...
					GET    | /users?key=user:a&key=user:b     | ``                              | as in key=user:...
					DELETE | /users?key=user:a&key=ip:b       | ``                              | has the parts [user]
					DELETE | /users?key=User:a                | ``                              | has the parts [user]
					GET    | /places?key=                     | ``                              | has the parts [endpoint, user]
					DELETE | /places?key=user:a               | ``                              | as in key=endpoint:...&key=user:...
					DELETE | /places?key=user:a&key=user:a    | ``                              | has the parts [endpoint, user]
					DELETE | /all?key=user:a                  | ``                              | leave the parameter 'key' empty
					DELETE | /places                          | ``                              | key
					GET    | /plans?user=ada                  | ``                              | Rule 'plans' has a bucket for each plan
					GET    | /keys?user=ada                   | ``                              | [key, user]
					DELETE | /keys?user=ada                   | ``                              | parameter 'key'
					GET    | /users?user=ada&plan=gold        | ``                              | do not determine a bucket of rule 'users'
					""")
	void mistakeIsABadRequestAndChangesNothing(String method, String path, String body, String message) {
		this.application = applications.start(SecuredApplication.class, WRITABLE,
				"management.endpoints.web.exposure.include=ratelimits", "tierlimit.rules.all.rate=5/d",
				"tierlimit.rules.users.rate=5/d", "tierlimit.rules.users.scope=user",
				"tierlimit.rules.users.plans.gold.unlimited=true", "tierlimit.rules.places.rate=5/d",
				"tierlimit.rules.places.scope=user,endpoint", "tierlimit.rules.plans.rate=5/d",
				"tierlimit.rules.plans.scope=plan", "tierlimit.rules.keys.rate=5/d", "tierlimit.rules.keys.scope=user",
				"tierlimit.rules.keys.key=header('X')");
		this.application.bean(RateLimiter.class).acquire(PermitRequest.of("all"));
		String[] operator = { "Authorization", RunningApplication.basic("alice", "secret") };
		Response response = body.isEmpty() ? this.application.send(method, "/actuator/ratelimits" + path, operator)
				: this.application.postJson("/actuator/ratelimits" + path, body, operator);
		assertThat(response.status()).isEqualTo(400);
		assertThat(response.jsons("$.problems[*]").toString()).contains(message);
		assertThat(get("/actuator/ratelimits", operator).json("$.mode")).isEqualTo(DEFAULT_MODE);
		assertThat(get("/actuator/ratelimits/all?key=", operator).jsons("$.buckets[*].permits")).containsExactly(4);
	}

	@Test
	void operatorReleasesPermitsThatARequestHolds() {
		start(WRITABLE, "tierlimit.rules.exports.algorithm=concurrency", "tierlimit.rules.exports.limit=3",
				"tierlimit.rules.exports.scope=user", "tierlimit.rules.exports.applies-to=code");
		RateLimiter limiter = this.application.bean(RateLimiter.class);
		PermitRequest two = PermitRequest.of("exports").user("ada").cost(2);
		try (Hold held = limiter.hold(two)) {
			Response found = get("/actuator/ratelimits/exports?user=ada");
			assertThat(held.verdict().allowed()).isTrue();
			assertThat(found.jsons("$.buckets[*].holders[*].permits")).containsExactly(2);
			assertThat(found.jsons("$.buckets[*].holders[*].age")).singleElement().asString().startsWith("PT");
			String path = "/actuator/ratelimits/exports/holders?key=" + found.json("$.buckets[0].key") + "&holder=";
			assertThat(delete(path + "0")).isEqualTo(404);
			assertThat(delete(path + found.json("$.buckets[0].holders[0].id"))).isEqualTo(204);
			assertThat(permits("/actuator/ratelimits/exports?user=ada")).containsExactly(3);
			limiter.hold(two);
		}
		assertThat(permits("/actuator/ratelimits/exports?user=ada")).as("closed holds release their own permits only")
			.containsExactly(1);
		assertThat(delete("/actuator/ratelimits/none/holders?key=a&holder=1")).isEqualTo(404);
		assertThat(delete("/actuator/ratelimits/exports/holders?key=a")).isEqualTo(404);
	}

	@Test
	void modeOfTheInstanceStopsRejectionsWithTheNextRequest() {
		start(WRITABLE, "tierlimit.rules.orders.rate=1/d", "tierlimit.rules.orders.paths=/orders/**");
		this.application.getAs("alice", "/orders/1");
		assertThat(this.application.getAs("alice", "/orders/1").status()).isEqualTo(429);
		assertThat(get("/actuator/ratelimits").json("$.mode")).isEqualTo(DEFAULT_MODE);
		Response set = mode("{\"mode\":\"shadow\"}");
		assertThat(set.status()).isEqualTo(200);
		assertThat(set.json("$")).isEqualTo(OWN_MODE);
		Response allowed = this.application.getAs("alice", "/orders/1");
		assertThat(allowed.status()).isEqualTo(200);
		assertThat(allowed.header("RateLimit")).isEmpty();
		assertThat(get("/actuator/ratelimits").json("$.mode")).isEqualTo(OWN_MODE);
		assertThat(get("/actuator/ratelimits").jsons("$.rules[*].mode")).containsExactly("shadow");
		assertThat(this.application.send("POST", "/actuator/ratelimits").json("$.outcome")).as("a reload")
			.isEqualTo("unchanged");
		assertThat(this.application.getAs("alice", "/orders/1").status()).isEqualTo(200);
		assertThat(mode("{\"mode\":\"configured\"}").json("$")).isEqualTo(DEFAULT_MODE);
		assertThat(this.application.getAs("alice", "/orders/1").status()).isEqualTo(429);
	}

	@Test
	void emptyParameterIsLikeAMissingOne() {
		start(WRITABLE, "tierlimit.rules.users.rate=5/d", "tierlimit.rules.users.scope=user",
				"tierlimit.rules.users.plans.pro.rate=10/d");
		assertThat(get("/actuator/ratelimits?user=&address=").jsons("$.rules[*].id")).containsExactly("users");
		assertThat(get("/actuator/ratelimits/users?user=&address=").json("$.id")).isEqualTo("users");
		assertThat(permits("/actuator/ratelimits/users?key=user:ada&user=&plan=")).containsExactlyInAnyOrder(10, 5);
	}

	@Test
	void endpointIsNeitherExposedByDefaultNorWithoutSecurity() {
		this.application = applications.start(TestApplication.class, "tierlimit.rules.all.rate=5/d");
		assertThat(get("/actuator/ratelimits").status()).isEqualTo(404);
		assertThat(get("/actuator/health").status()).isEqualTo(200);
		this.application = applications.start(SecuredApplication.class, "tierlimit.rules.all.rate=5/d",
				"management.endpoints.web.exposure.include=ratelimits");
		assertThat(get("/actuator/ratelimits").status()).isEqualTo(401);
	}

	@Test
	void unknownRuleIsNotFound() {
		start(WRITABLE, "tierlimit.rules.users.rate=5/d");
		assertThat(get("/actuator/ratelimits/none?key=a").status()).isEqualTo(404);
		assertThat(delete("/actuator/ratelimits/none?key=a")).isEqualTo(404);
	}

	@Test
	void planIsPartOfTheKey() {
		start(WRITABLE, "tierlimit.rules.users.rate=5/d", "tierlimit.rules.users.scope=user",
				"tierlimit.rules.users.plans.pro.rate=10/d", "tierlimit.rules.users.plans.gold.unlimited=true");
		this.application.bean(RateLimiter.class).acquire(PermitRequest.of("users").user("ada").plan("pro"));
		assertThat(permits("/actuator/ratelimits/users?key=user:ada")).containsExactlyInAnyOrder(9, 5);
		assertThat(permits("/actuator/ratelimits/users?key=user:ada&plan=pro")).containsExactly(9);
		assertThat(permits("/actuator/ratelimits/users?key=user:ada&plan=gold")).isEmpty();
		assertThat(permits("/actuator/ratelimits?user=ada&plan=pro")).containsExactly(9);
		assertThat(get("/actuator/ratelimits?plan=pro").json("$.rules.users.listed")).isEqualTo(true);
		assertThat(get("/actuator/ratelimits?plan=none").json("$.rules.users.listed")).isEqualTo(false);
		assertThat(delete("/actuator/ratelimits/users?key=user:ada")).isEqualTo(204);
		assertThat(permits("/actuator/ratelimits/users?key=user:ada")).containsExactlyInAnyOrder(10, 5);
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
			this.application.get("/orders/1", "Authorization", RunningApplication.basic("alice", "secret"), "X-Tenant",
					"acme");
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
	void addressIsFoundByTheNetworkThatIsTreatedAsOneClient() {
		start("tierlimit.rules.clients.rate=5/d", "tierlimit.rules.clients.scope=ip", "tierlimit.rules.users.rate=3/d",
				"tierlimit.rules.users.scope=user", "tierlimit.client-ip.trusted-proxies=127.0.0.0/8");
		get("/orders/1", "X-Forwarded-For", "2001:db8:1:2::77");
		await(() -> totals("clients"), "{allowed=1}");
		for (String address : List.of("2001:db8:1:2::1", "2001:DB8:1:2:0:0:0:9", "2001:db8:1:2::/64")) {
			Response found = get("/actuator/ratelimits?address=" + encoded(address));
			assertThat(found.jsons("$.buckets[?(@.rule == 'clients')].permits")).as(address).containsExactly(4);
			assertThat(found.jsons("$.buckets[?(@.rule == 'users')].permits")).as("anonymous").containsExactly(2);
			assertThat(permits("/actuator/ratelimits/clients?key=ip:" + encoded(address))).as(address)
				.containsExactly(4);
		}
		assertThat(permits("/actuator/ratelimits/clients?key=ip:2001:db8:1:3::1")).containsExactly(5);
	}

	@Test
	void bucketOfAnAnonymousCallerIsFoundByAddress() {
		start(WRITABLE, "tierlimit.rules.users.rate=1/d", "tierlimit.rules.users.scope=user",
				"tierlimit.rules.users.paths=/orders/**");
		get("/orders/1");
		assertThat(get("/orders/1").status()).isEqualTo(429);
		assertThat(permits("/actuator/ratelimits/users?address=127.0.0.1")).containsExactly(0);
		assertThat(permits("/actuator/ratelimits/users?user=ada&address=127.0.0.1")).containsExactly(1);
		assertThat(delete("/actuator/ratelimits/users?address=127.0.0.1")).isEqualTo(204);
		assertThat(get("/orders/1").status()).isEqualTo(200);
	}

	@Test
	void localBucketsAreShownAsLocal() {
		try (RedisServer server = RedisServer.start()) {
			startOn(server, "tierlimit.redis.local-share=50%", "tierlimit.rules.users.rate=8/d",
					"tierlimit.rules.users.scope=user");
			server.kill();
			for (int i = 0; i < 5; i++) {
				this.application.getAs("alice", "/orders/1");
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
	void endpointAndHealthShowTheStateOfRedis() {
		try (RedisServer server = RedisServer.start()) {
			startOn(server, "tierlimit.rules.users.rate=5/d", "tierlimit.rules.users.scope=user",
					"tierlimit.rules.b.rate=6/d", "tierlimit.rules.c.rate=6/d",
					"tierlimit.rules.c.on-store-failure=deny", "management.endpoint.health.show-details=always");
			this.application.bean(RateLimiter.class).acquire(PermitRequest.of("users").user("ada"));
			assertThat(permits("/actuator/ratelimits/users?key=user:ada")).containsExactly(4);
			assertThat(get("/actuator/ratelimits").json("$.store.reachable")).isEqualTo(true);
			assertThat(delete("/actuator/ratelimits/users?key=user:ada")).isEqualTo(204);
			assertThat(permits("/actuator/ratelimits/users?key=user:ada")).containsExactly(5);
			Response well = get("/actuator/health/ratelimit");
			assertThat(well.status()).isEqualTo(200);
			assertThat(well.json("$.details.degraded")).isEqualTo(false);
			assertThat(well.json("$.details.breakers.redis")).isEqualTo("CLOSED");
			assertThat(well.body()).doesNotContain("lastFailure", "rulesByStoreFailurePolicy");
			await(() -> String.valueOf(get("/actuator/health/ratelimit").json("$.details.localShare")),
					"{share=100%, instances=1}");
			server.kill();
			assertThat(get("/actuator/ratelimits/users?key=user:ada").json("$.store.reachable")).isEqualTo(false);
			assertThat(delete("/actuator/ratelimits/users?key=user:ada")).isEqualTo(503);
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

	private void start(String... properties) {
		this.application = applications.start(TestApplication.class, properties, EXPOSED);
	}

	private void startOn(RedisServer server, String... properties) {
		this.application = applications.startOwn(TestApplication.class,
				RunningApplication.redis(server.port(), RunningApplication.with(properties, EXPOSED, WRITABLE)));
	}

	private Response mode(String body) {
		return this.application.postJson("/actuator/ratelimits", body);
	}

	private Response get(String path, String... headers) {
		return this.application.get(path, headers);
	}

	private int delete(String path) {
		return this.application.send("DELETE", path).status();
	}

	private List<Object> permits(String path) {
		return get(path).jsons("$.buckets[*].permits");
	}

	private String totals(String rule) {
		return String.valueOf(get("/actuator/ratelimits/" + rule).json("$.totals"));
	}

	/**
	 * Waits for a value, because a request is counted when it ends, which may be after
	 * its response.
	 */
	private static void await(Supplier<String> actual, String expected) {
		Poll.until(() -> actual.get().equals(expected), () -> "expected " + expected + " but was " + actual.get());
	}

	static Stream<String> unusual() {
		return Stream.of("a/b", "../all", "100%", "%2F", "a\nb", "a\r\nX: y", "\uD83D\uDE42", "a,b", " ", "a|b", "a\\",
				"(none)", "(hash)x", "a&key=b", "key:b", ":", "a;b", "+", "\"}", "<b>", "\u0000", "{a}", "'a'",
				"k".repeat(10_000));
	}

	@ParameterizedTest
	@MethodSource("unusual")
	void bucketsOfUnusualKeysAreShownAndReset(String key) {
		RunningApplication application = startForKeys("tierlimit.rules.mail.rate=5/d",
				"tierlimit.rules.mail.applies-to=code", "tierlimit.rules.mail.key=header('X')");
		application.bean(RateLimiter.class)
			.acquire(PermitRequest.of("mail").part("key", key).cost(2), PermitRequest.of("mail").part("key", "other"));
		String path = "/actuator/ratelimits/mail?key=key:" + encoded(key);
		assertThat(application.get(path).jsons("$.buckets[*].permits")).containsExactly(3);
		assertThat(application.send("DELETE", path).status()).isEqualTo(204);
		assertThat(application.get(path).jsons("$.buckets[*].permits")).containsExactly(5);
		assertThat(application.get("/actuator/ratelimits/mail?key=key:other").jsons("$.buckets[*].permits"))
			.containsExactly(4);
	}

	@ParameterizedTest
	@MethodSource("unusual")
	void unusualRulesUsersAndAddressesAreUnknown(String text) {
		RunningApplication application = startForKeys("tierlimit.rules.all.rate=5/d", "tierlimit.rules.users.rate=5/d",
				"tierlimit.rules.users.scope=user", "tierlimit.rules.clients.rate=5/d",
				"tierlimit.rules.clients.scope=ip");
		assertThat(application.get("/actuator/ratelimits/" + encoded(text)).status()).isIn(400, 404);
		assertThat(application.send("DELETE", "/actuator/ratelimits/" + encoded(text)).status()).isIn(400, 404);
		for (String query : List.of("user", "address")) {
			Response found = application.get("/actuator/ratelimits?" + query + "=" + encoded(text));
			assertThat(found.status()).isEqualTo(200);
			assertThat(found.jsons("$.buckets[*].empty")).isNotEmpty().containsOnly(false);
		}
	}

	private static RunningApplication startForKeys(String... rules) {
		return applications.start(TestApplication.class, rules, WRITABLE, EXPOSED,
				"server.max-http-request-header-size=64KB", "tierlimit.keys.secret=0123456789abcdef");
	}

	private static String encoded(String text) {
		return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
	}

}
