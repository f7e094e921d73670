package io.tierlimit.application;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.tierlimit.application.RawHttp.Reply;
import io.tierlimit.application.RunningApplication.Response;
import io.tierlimit.redis.RedisServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests the page on which callers read their own limits, over HTTP.
 */
@Tag("slow")
class CallerLimitsTests {

	@RegisterExtension
	static final SharedApplications applications = new SharedApplications();

	@Test
	void callerReadsItsOwnBucketsAndConsumesNothing() {
		RunningApplication application = start(SecuredApplication.class, "address.scope=ip", "address.rate=10/s",
				"user.scope=user", "user.rate=60/m", "user.plans.pro.rate=120/m");
		application.getAs("alice", "/basic");
		application.getAs("alice", "/basic");
		application.getAs("bob", "/basic");
		for (int i = 0; i < 3; i++) {
			assertThat(limits(application.getAs("alice", "/limits")).toString())
				.isEqualTo("[{rule=address, limit=10, remaining=7, reset=1}, "
						+ "{rule=user, limit=60, remaining=58, reset=2}]");
			assertThat(limits(application.getAs("bob", "/limits")).get(1).toString())
				.isEqualTo("{rule=user, plan=pro, limit=120, remaining=119, reset=1}");
		}
	}

	@Test
	void responseHasNeitherKeysNorRateLimitHeadersAndIsNotCached() {
		Response response = start(TestApplication.class, "user.scope=user", "user.rate=5/d").getAs("alice", "/limits");
		assertThat(response.status()).isEqualTo(200);
		assertThat(response.header("Content-Type")).isEqualTo("application/json");
		assertThat(response.body())
			.isEqualTo("{\"limits\":[{\"rule\":\"user\",\"limit\":5,\"remaining\":5,\"reset\":0}]}");
		assertThat(response.header("Cache-Control")).isEqualTo("no-store");
		assertThat(response.response().headers().map()).doesNotContainKeys("ratelimit", "ratelimit-policy",
				"ratelimit-limit");
	}

	@Test
	void callerWithoutPermitsReadsItsWait() {
		RunningApplication application = start(TestApplication.class, "all.rate=2/m");
		application.get("/any");
		application.get("/any");
		Response rejected = application.get("/any");
		assertThat(rejected.status()).isEqualTo(429);
		assertThat(limits(application.get("/limits"))).singleElement()
			.hasToString("{rule=all, limit=2, remaining=0, reset=60, retry-after=30}");
		application.clock().advance(Duration.ofSeconds(30));
		assertThat(limits(application.get("/limits"))).singleElement()
			.hasToString("{rule=all, limit=2, remaining=1, reset=30}");
	}

	@Test
	void unlimitedPlansBucketsThatDependOnTheTargetAndHiddenRulesAreOmitted() {
		assertThat(rules(start(TestApplication.class, "endpoint.scope=ip,endpoint", "endpoint.rate=5/d",
				"by-path.key=path", "by-path.rate=5/d", "by-method.condition=method == 'GET'", "by-method.rate=5/d",
				"by-pattern.condition=pattern != null", "by-pattern.rate=5/d",
				"by-attribute.condition=requestAttribute('x') == null", "by-attribute.rate=5/d",
				"hidden.headers=hidden", "hidden.rate=5/d", "shadow.mode=shadow", "shadow.rate=5/d",
				"calls.applies-to=code", "calls.rate=5/d", "disabled.enabled=false", "disabled.rate=5/d",
				"pro.scope=user", "pro.rate=5/d", "pro.plans.pro.unlimited=true", "shown.rate=5/d",
				"orders.paths=/orders/**", "orders.exclude-paths=/limits", "orders.rate=5/d", "orders.methods=POST",
				"orders.cost=param('n').length()")
			.getAs("bob", "/limits"))).as("whatever their paths, methods and costs are")
			.containsExactlyInAnyOrder("shown", "orders");
	}

	@Test
	void factsOfTheCallerAreTheFactsOfItsRequest() {
		RunningApplication application = start(TestApplication.class, "by-header.key=header('X-Key')",
				"by-header.rate=5/d", "by-header.on-missing-key=skip", "partners.condition=header('X-Partner') != null",
				"partners.rate=5/d", "by-resolver.scope=tenant", "by-resolver.rate=5/d",
				"by-resolver.on-missing-key=skip");
		application.get("/any", "X-Key", "a");
		assertThat(rules(application.get("/limits"))).isEmpty();
		assertThat(limits(application.get("/limits", "X-Key", "a"))).singleElement()
			.hasToString("{rule=by-header, limit=5, remaining=4, reset=17280}");
		assertThat(limits(application.get("/limits", "X-Key", "b"))).singleElement()
			.hasToString("{rule=by-header, limit=5, remaining=5, reset=0}");
		assertThat(rules(application.get("/limits", "X-Partner", "x"))).containsExactly("partners");
		assertThat(rules(application.get("/limits", "X-Tenant", "x"))).containsExactly("by-resolver");
	}

	@Test
	void rulesThatChargeOnlyFailuresApplyToTheRequestsAndAreOmitted() {
		RunningApplication application = start(SecuredApplication.class, "login.scope=ip", "login.rate=3/d",
				"login.charge-on=authentication-failure", "account.key=param('name')", "account.rate=5/d",
				"all.rate=9/d", "served.rate=1/d", "served.charge-on=200", "unlocked.rate=1/d",
				"unlocked.reset-on=404");
		for (int i = 0; i < 5; i++) {
			assertThat(rules(application.getAs("alice", "/limits?name=bob"))).containsExactly("all");
		}
		for (int i = 0; i < 5; i++) {
			assertThat(application.getAs("alice", "guess", "/limits").status()).isEqualTo((i < 3) ? 401 : 429);
		}
	}

	@Test
	void anonymousCallerReadsTheBucketsThatItWouldConsumeFrom() {
		RunningApplication application = start(TestApplication.class, "user.scope=user", "user.rate=5/d",
				"skipped.scope=user", "skipped.rate=5/d", "skipped.on-missing-key=skip", "denied.scope=user",
				"denied.rate=5/d", "denied.on-missing-key=deny", "denied.paths=/denied");
		application.get("/any");
		assertThat(limits(application.get("/limits"))).singleElement()
			.hasToString("{rule=user, limit=5, remaining=4, reset=17280}");
		assertThat(rules(application.getAs("alice", "/limits"))).containsExactlyInAnyOrder("user", "skipped", "denied");
	}

	@Test
	void securityDecidesWhoMayReadLimits() {
		Response response = start(SecuredApplication.class, "all.rate=10/s").get("/limits");
		assertThat(response.status()).isEqualTo(401);
		assertThat(response.body()).doesNotContain("remaining");
	}

	@Test
	void ruleWithThePathLimitsTheRequests() {
		RunningApplication application = start(SecuredApplication.class, "all.rate=1/d", "own.paths=/limits",
				"own.scope=user", "own.rate=2/d");
		assertThat(application.getAs("alice", "/limits").header("RateLimit")).isEqualTo("\"own\";r=1;t=43200");
		assertThat(application.getAs("alice", "/limits").status()).isEqualTo(200);
		assertThat(application.getAs("alice", "/limits").status()).isEqualTo(429);
		assertThat(application.getAs("bob", "/limits").status()).isEqualTo(200);
		assertThat(application.getAs("bob", "/basic").status()).as("not charged before").isEqualTo(200);
	}

	@Test
	void otherMethodsAreNotAllowed() {
		RunningApplication application = start(TestApplication.class, "all.rate=10/s");
		Response head = application.send("HEAD", "/limits");
		assertThat(head.status()).isEqualTo(200);
		assertThat(head.body()).isEmpty();
		assertThat(head.header("Content-Length")).isEqualTo(application.get("/limits").header("Content-Length"));
		Response options = application.send("OPTIONS", "/limits");
		assertThat(options.status()).isEqualTo(200);
		assertThat(options.header("Allow")).isEqualTo("GET, HEAD, OPTIONS");
		for (String method : List.of("POST", "PUT", "DELETE", "PATCH")) {
			Response other = application.send(method, "/limits");
			assertThat(other.status()).isEqualTo(405);
			assertThat(other.header("Allow")).isEqualTo("GET, HEAD, OPTIONS");
			assertThat(other.body()).isEmpty();
		}
	}

	@ParameterizedTest
	@CsvSource({ "server.servlet.context-path=/shop, /limits, /shop/limits",
			"spring.mvc.servlet.path=/mvc, /mvc/limits, /mvc/limits" })
	void pathIsRelativeToTheContextPath(String property, String path, String sent) {
		RunningApplication application = applications.start(TestApplication.class, property,
				"tierlimit.rules.all.rate=10/s", "tierlimit.web.limits-path=" + path);
		assertThat(rules(application.get(sent))).containsExactly("all");
		assertThat(application.get(sent + "/other").status()).isEqualTo(404);
	}

	@Test
	void withoutAPathThereIsNoResponse() {
		RunningApplication application = applications.start(TestApplication.class, "tierlimit.rules.all.rate=10/s",
				"tierlimit.web.limits-path=");
		assertThat(application.get("/limits").status()).isEqualTo(404);
	}

	@Test
	void valueThatCannotBeReadIsInvalid() {
		RunningApplication application = start(TestApplication.class, "all.key=header('X-Key') + 1", "all.rate=10/s");
		assertThat(application.get("/limits").status()).isEqualTo(400);
		assertThat(application.get("/limits", "X-Key", "a").status()).isEqualTo(200);
	}

	@ParameterizedTest
	@CsvSource({ "'', /by-bean/limits, https://bean.example", "mvc, /by-bean/limits, https://bean.example",
			"mvc, /by-mapping/limits, https://mapping.example" })
	void scriptsOfAllowedOriginsReadLimits(String profile, String path, String origin) {
		RunningApplication application = applications.start(CorsApplication.class, "tierlimit.rules.all.rate=10/s",
				"tierlimit.web.limits-path=" + path, "spring.profiles.active=" + profile);
		RawHttp server = application.raw();
		Reply read = server.send("GET " + path + " HTTP/1.1", "Origin: " + origin + "\r\n", "");
		assertThat(read.status()).isEqualTo(200);
		assertThat(read.header("Access-Control-Allow-Origin")).isEqualTo(origin);
		Reply preflight = server.send("OPTIONS " + path + " HTTP/1.1",
				"Origin: " + origin + "\r\nAccess-Control-Request-Method: GET\r\n", "");
		assertThat(preflight.status()).isEqualTo(200);
		assertThat(preflight.header("Access-Control-Allow-Origin")).isEqualTo(origin);
		assertThat(server.send("GET " + path + " HTTP/1.1", "Origin: https://evil.example\r\n", "").text())
			.doesNotContain("Access-Control-Allow-Origin");
	}

	@Test
	void limitsInRedisCoverAllInstancesWithOneCall() {
		try (RedisServer server = RedisServer.start()) {
			// The renewal of a membership would be a call that no request makes.
			String[] properties = RunningApplication.redis(server.port(), "tierlimit.redis.local-share=100%",
					"tierlimit.rules.all.rate=10/d", "tierlimit.rules.ip.rate=10/d", "tierlimit.rules.ip.scope=ip",
					"tierlimit.web.limits-path=/limits");
			try (RunningApplication one = RunningApplication.start(TestApplication.class, properties);
					RunningApplication other = RunningApplication.start(TestApplication.class, properties)) {
				one.get("/any");
				server.resetStatistics();
				assertThat(other.get("/limits").jsons("$.limits[*].remaining")).containsExactly(9, 9);
				assertThat(server.calls()).containsEntry("evalsha", 1L);
				server.kill();
				for (String policy : List.of("local", "allow", "deny")) {
					other.reload(RunningApplication.with(properties, "tierlimit.rules.all.on-store-failure=" + policy,
							"tierlimit.rules.ip.on-store-failure=" + policy));
					Response unavailable = other.get("/limits");
					assertThat(unavailable.status()).as(policy).isEqualTo(503);
					assertThat(unavailable.header("Content-Type")).isEqualTo("application/problem+json");
					assertThat(unavailable.header("Cache-Control")).isEqualTo("no-store");
				}
			}
		}
	}

	private static RunningApplication start(Class<?> application, String... rules) {
		return applications.start(application, RunningApplication.rules(rules), "tierlimit.web.limits-path=/limits");
	}

	private static List<Object> limits(Response response) {
		assertThat(response.status()).isEqualTo(200);
		return new ArrayList<>(response.jsons("$.limits[*]"));
	}

	private static List<Object> rules(Response response) {
		assertThat(response.status()).isEqualTo(200);
		return response.jsons("$.limits[*].rule");
	}

}
