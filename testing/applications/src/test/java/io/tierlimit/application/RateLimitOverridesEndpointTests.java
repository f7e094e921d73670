package io.tierlimit.application;

import java.util.List;

import io.tierlimit.application.RunningApplication.Response;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests the management endpoint of overrides over HTTP.
 */
@ExtendWith(OutputCaptureExtension.class)
@Tag("slow")
class RateLimitOverridesEndpointTests {

	private static final String PATH = "/actuator/ratelimitoverrides";

	private static final String[] WRITABLE = { "management.endpoints.web.exposure.include=*",
			"management.endpoint.ratelimitoverrides.access=unrestricted", "tierlimit.rules.per-ip.rate=2/d",
			"tierlimit.rules.per-ip.scope=ip", "tierlimit.rules.per-user.rate=3/d",
			"tierlimit.rules.per-user.scope=user", "logging.level.io.tierlimit.actuate=info" };

	@RegisterExtension
	static final SharedApplications applications = new SharedApplications();

	private RunningApplication application;

	@AfterEach
	void removeOverrides() {
		if (this.application != null) {
			for (String id : List.of("acme", "bad", "one", "two")) {
				this.application.send("DELETE", PATH + "/" + id);
			}
		}
	}

	@Test
	void overrideThatIsReplacedIsShownAfterTheEndOfTheOther() {
		RunningApplication running = start(RunningApplication.with(WRITABLE, "tierlimit.overrides.acme.user=acme",
				"tierlimit.overrides.acme.unlimited=true"));
		post("acme", "{\"user\":\"acme\",\"blocked\":true,\"until\":\"2999-01-01T00:00:00Z\"}");
		assertThat(running.get(PATH + "/acme").json("$.blocked")).isEqualTo(true);
		assertThat(running.get(PATH).jsons("$.overrides[*].from")).containsExactly("2999-01-01T00:00:00Z");
		assertThat(running.get(PATH).jsons("$.overrides[*].origin")).hasSize(2).doesNotHaveDuplicates();
		post("acme", "{\"user\":\"acme\",\"blocked\":true,\"until\":\"2020-01-01T00:00:00Z\"}");
		assertThat(running.get(PATH + "/acme").json("$.unlimited")).isEqualTo(true);
		assertThat(running.get(PATH).jsons("$.overrides[*].ended")).containsExactly(true, false);
	}

	@Test
	void editTakesEffectForTheNextRequest(CapturedOutput output) {
		RunningApplication running = start(WRITABLE);
		assertThat(running.getAs("alice", "/orders/1").header("RateLimit")).contains("\"per-user\";r=2");
		assertThat(
				post("acme", "{\"user\":\"alice\",\"rules\":\"per-user\",\"rate\":\"5/d\",\"reason\":\"sale\\nnow\"}",
						"Authorization", RunningApplication.basic("alice", "secret"))
					.status())
			.isEqualTo(200);
		assertThat(running.getAs("alice", "/orders/1").header("RateLimit")).contains("\"per-user\";r=3");
		assertThat(running.getAs("alice", "/orders/1").status()).as("per-ip").isEqualTo(429);
		assertThat(output).containsPattern("Override 'acme' was set by 'alice'\\. Before: null\\. After: "
				+ "OverrideDescriptor\\[id=acme, user=alice, .*rate=5/d.*reason=sale\\?now, origin=management endpoint\\]\\.");
		assertThat(running.get(PATH + "/acme").jsons("$.limits[*].rate")).hasSize(1);
		assertThat(running.send("DELETE", PATH + "/acme").status()).isEqualTo(200);
		assertThat(output).containsPattern(
				"Override 'acme' was removed by an operator without authentication\\. Before: OverrideDescriptor.*After: null");
		assertThat(running.get(PATH + "/acme").status()).isEqualTo(404);
		assertThat(running.get(PATH).jsons("$..total")).containsExactly(0);
	}

	@Test
	void limitOfConcurrencyIsSetAndShownWithoutARate() {
		RunningApplication running = start(RunningApplication.with(WRITABLE, "tierlimit.rules.exports.limit=2",
				"tierlimit.rules.exports.algorithm=concurrency", "tierlimit.rules.exports.scope=user",
				"tierlimit.rules.exports.max-duration=10m", "tierlimit.rules.exports.retry-after-hint=5s"));
		assertThat(post("acme", "{\"user\":\"alice\",\"rules\":\"exports\",\"limit\":10}").status()).isEqualTo(200);
		Response override = running.get(PATH + "/acme");
		assertThat(override.json("$.limits.exports.algorithm")).isEqualTo("concurrency");
		assertThat(override.json("$.limits.exports.limit")).isEqualTo(10);
		assertThat(override.json("$.limits.exports.maxDuration")).isEqualTo("PT10M");
		assertThat(override.json("$.limits.exports.retryAfterHint")).isEqualTo("PT5S");
		assertThat(override.jsons("$..rate")).isEmpty();
		assertThat(running.get("/actuator/ratelimits/exports").json("$.limit.limit")).isEqualTo(2);
	}

	@Test
	void blockedCallerReadsWhenTheBlockEnds() {
		RunningApplication running = start(WRITABLE);
		post("bad", "{\"address\":\"127.0.0.0/8\",\"blocked\":true,\"until\":\"2999-01-01T00:00:00Z\"}");
		Response blocked = running.get("/orders/1");
		assertThat(blocked.status()).isEqualTo(429);
		assertThat(blocked.body()).contains("abnormal-usage-detected", "The caller is blocked.");
		assertThat(Long.parseLong(blocked.header("Retry-After"))).isGreaterThan(900L * 365 * 86_400);
		post("bad", "{\"address\":\"127.0.0.0/8\",\"blocked\":true}");
		Response forever = running.get("/orders/1");
		assertThat(forever.status()).isEqualTo(429);
		assertThat(forever.header("Retry-After")).isEmpty();
		assertThat(forever.header("RateLimit")).isEqualTo("\"per-ip\";r=0");
		post("bad", "{\"address\":\"127.0.0.1\",\"blocked\":true,\"until\":\"2001-01-01T00:00:00Z\"}");
		assertThat(running.get("/orders/1").status()).isEqualTo(200);
		assertThat(running.get(PATH + "/bad").jsons("$..ended")).containsExactly(true);
	}

	/** Spring Boot ignores an unknown property, so that a block would never end. */
	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					{}                                                            | [
					{"user":"alice"}                                              | [
					{"user":"alice","unlimited":"maybe"}                          | maybe
					{"key":"user:a","rules":"per-user","rate":"1/x"}              | rate
					{"key":"a","rules":"per-user","blocked":true}                 | user:a
					{"user":"","unlimited":true}                                  | [
					{"user":"alice","unlimited":true,"rules":"missing"}           | missing
					{"user":"alice ","blocked":true}                              | 'alice '
					{"user":"alice","blocked":true,"untill":"2999-01-01T00:00Z"}  | 'untill' is not a known property. Known properties are id, rules, user, address, key, rate, burst, limit, unlimited, blocked, until, reason. Correct or remove it.
					{"user":"alice","blocked":true,"context":"x"}                 | 'context' is not a known property
					""",
			quoteCharacter = '`')
	void mistakesChangeNothing(String body, String message) {
		RunningApplication running = start(WRITABLE);
		Response response = post("acme", body);
		assertThat(response.status()).isEqualTo(422);
		assertThat(response.jsons("$.problems[*]").toString()).contains(message);
		assertThat(running.get(PATH).jsons("$..total")).containsExactly(0);
		assertThat(running.get(PATH + "?usr=alice").status()).isEqualTo(422);
	}

	@Test
	void partsOfAKeyAreParameters() {
		RunningApplication running = start(WRITABLE[0], WRITABLE[1], "tierlimit.rules.r.rate=5/d",
				"tierlimit.rules.r.scope=user,ip");
		assertThat(post("one?key=user:alice&key=ip:127.0.0.1", "{\"rules\":\"r\",\"blocked\":true}").status())
			.isEqualTo(200);
		assertThat(running.get(PATH + "/one").jsons("$.key[*]")).containsExactly("ip:127.0.0.1", "user:alice");
		assertThat(running.getAs("alice", "/orders/1").status()).isEqualTo(429);
		assertThat(running.getAs("bob", "/orders/1").status()).isEqualTo(200);
	}

	@Test
	void keyWithOnePartMayBeInTheBody() {
		RunningApplication running = start(WRITABLE);
		String body = "{\"key\":\"user:alice\",\"rules\":\"per-user\",\"blocked\":true}";
		assertThat(post("one", body).status()).isEqualTo(200);
		assertThat(running.get(PATH + "/one").jsons("$.key[*]")).containsExactly("user:alice");
		assertThat(post("two", body.replace("\"user:alice\"", "[\"user:alice\"]")).status()).isEqualTo(400);
	}

	@Test
	void onlyReadingIsAllowedByDefault() {
		RunningApplication running = start(WRITABLE[0], WRITABLE[2], "tierlimit.overrides.acme.user=acme",
				"tierlimit.overrides.acme.unlimited=true");
		assertThat(post("acme", "{\"user\":\"acme\",\"blocked\":true}").status()).isEqualTo(405);
		assertThat(running.send("DELETE", PATH + "/acme").status()).isEqualTo(405);
		assertThat(running.get(PATH + "/acme").jsons("$..unlimited")).containsExactly(true);
	}

	@Test
	void unknownOverridesAreNotFound() {
		start(WRITABLE[0], WRITABLE[1], WRITABLE[2], "tierlimit.overrides.acme.user=acme",
				"tierlimit.overrides.acme.unlimited=true");
		assertThat(this.application.send("DELETE", PATH + "/missing").status()).isEqualTo(404);
		Response defined = this.application.send("DELETE", PATH + "/acme");
		assertThat(defined.status()).isEqualTo(422);
		assertThat(defined.jsons("$.problems[*]").toString()).contains("Remove it there");
	}

	private RunningApplication start(String... properties) {
		this.application = applications.start(TestApplication.class, properties);
		return this.application;
	}

	private Response post(String id, String body, String... headers) {
		return this.application.postJson(PATH + "/" + id, body, headers);
	}

}
