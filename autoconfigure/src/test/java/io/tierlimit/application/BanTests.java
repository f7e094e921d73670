package io.tierlimit.application;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.micrometer.core.instrument.MeterRegistry;
import io.tierlimit.application.RunningApplication.Response;
import io.tierlimit.redis.Poll;
import io.tierlimit.redis.RedisServer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests bans over HTTP.
 */
@ExtendWith(OutputCaptureExtension.class)
@Tag("slow")
class BanTests {

	private static final String ABNORMAL_USAGE = "https://iana.org/assignments/http-problem-types#abnormal-usage-detected";

	private static final String QUOTA_EXCEEDED = "https://iana.org/assignments/http-problem-types#quota-exceeded";

	private static final String[] ORDERS = { "tierlimit.rules.orders.rate=1/s", "tierlimit.rules.orders.burst=2",
			"tierlimit.rules.orders.scope=ip", "tierlimit.rules.orders.paths=/orders/**",
			"tierlimit.rules.orders.ban.after=3", "tierlimit.rules.orders.ban.within=1m",
			"tierlimit.rules.orders.ban.for=10m", "tierlimit.rules.orders.ban.max=1d",
			"tierlimit.client-ip.trusted-proxies=127.0.0.0/8", "management.endpoints.web.exposure.include=*",
			"management.endpoint.ratelimits.access=unrestricted", "tierlimit.rejections.log=true",
			"logging.level.io.tierlimit.event=info" };

	@RegisterExtension
	static final SharedApplications applications = new SharedApplications();

	private @Nullable RunningApplication other;

	@AfterEach
	void stop() {
		if (this.other != null) {
			this.other.close();
		}
	}

	@Test
	void callerThatIsRejectedTooOftenIsBannedForTheTimeInItsResponse(CapturedOutput output) {
		RunningApplication application = start();
		assertThat(statuses(application, 4)).containsExactly(200, 200, 429, 429);
		Response last = get(application);
		assertThat(last.status()).isEqualTo(429);
		assertBan(last, 600);
		assertThat(last.header("RateLimit")).isEqualTo("\"orders\";r=0;t=600");
		application.clock().advance(Duration.ofMillis(30_400));
		assertBan(get(application), 570);
		application.clock().advance(Duration.ofMillis(569_599));
		assertThat(get(application).header("Retry-After")).isEqualTo("1");
		application.clock().advance(Duration.ofMillis(1));
		assertThat(get(application).status()).isEqualTo(200);
		assertThat(get(application, "198.51.100.9").status()).isEqualTo(200);
		assertThat(output).contains("bucket '198.51.100.1': retry after 600000 ms, banned (1)");
	}

	@Test
	void rejectionWithoutABanIsAQuotaThatIsExceeded() {
		RunningApplication application = start();
		statuses(application, 2);
		Response rejected = get(application);
		assertThat(rejected.json("$.type")).isEqualTo(QUOTA_EXCEEDED);
		assertThat(rejected.header("Retry-After")).isEqualTo("1");
	}

	@Test
	void nextBanIsTwiceAsLong() {
		RunningApplication application = start();
		statuses(application, 5);
		application.clock().advance(Duration.ofMinutes(10));
		statuses(application, 4);
		assertBan(get(application), 1200);
	}

	@Test
	void otherRulesConsumeNothingDuringABan() {
		RunningApplication application = start("tierlimit.rules.all.rate=100/d");
		statuses(application, 10);
		assertThat(application.get("/actuator/ratelimits/all?key=").json("$.buckets[0].permits")).isEqualTo(98);
	}

	@Test
	void shadowRuleBlocksNoCaller() {
		RunningApplication application = start("tierlimit.rules.orders.mode=shadow");
		assertThat(statuses(application, 10)).containsOnly(200);
		assertThat(application.get("/actuator/ratelimits/orders/bans").jsons("$.bans[*].key"))
			.containsExactly("198.51.100.1");
		assertThat(bansCounted(application)).isEqualTo(1);
	}

	@Test
	void bansAreListedAndLifted() {
		RunningApplication application = start();
		assertThat(application.get("/actuator/ratelimits/orders/bans").jsons("$.bans[*]")).isEmpty();
		statuses(application, 5);
		Response bans = application.get("/actuator/ratelimits/orders/bans");
		assertThat(bans.jsons("$.bans[*].key")).containsExactly("198.51.100.1");
		assertThat(bans.jsons("$.bans[*].number")).containsExactly(1);
		Response bucket = application.get("/actuator/ratelimits/orders?address=198.51.100.1");
		assertThat(bucket.jsons("$.buckets[*].bans")).containsExactly(1);
		assertThat(bucket.jsons("$.buckets[*].permits")).containsExactly(0);
		assertThat(bucket.jsons("$.buckets[*].full")).containsExactly("PT10M");
		assertThat(bucket.jsons("$.buckets[*].bannedUntil")).hasSize(1);
		assertThat(application.get("/actuator/ratelimits/orders").jsons("$.ban[*]")).hasSize(4);
		assertThat(delete(application, "/actuator/ratelimits/orders/bans?key=198.51.100.1")).isEqualTo(204);
		assertThat(get(application).status()).isEqualTo(200);
		statuses(application, 4);
		assertBan(get(application), 600);
		assertThat(delete(application, "/actuator/ratelimits/orders?key=198.51.100.1")).isEqualTo(204);
		assertThat(get(application).status()).isEqualTo(200);
		assertThat(application.get("/actuator/ratelimits/orders?address=198.51.100.1").jsons("$.buckets[*].bans"))
			.isEmpty();
	}

	@Test
	void bansOfHashedKeysAreLiftedByTheKeyInTheList() {
		RunningApplication application = start("tierlimit.rules.orders.scope=user,ip",
				"tierlimit.rules.orders.key=header('X-Api-Key')", "tierlimit.keys.secret=0123456789abcdef");
		for (int i = 0; i < 5; i++) {
			application.get("/orders/1", "X-Forwarded-For", "198.51.100.1", "X-Api-Key", "secret|1");
		}
		List<Object> keys = application.get("/actuator/ratelimits/orders/bans").jsons("$.bans[*].key");
		assertThat(keys).singleElement().asString().contains("(hash)").doesNotContain("secret");
		assertThat(
				delete(application,
						"/actuator/ratelimits/orders/bans?key="
								+ URLEncoder.encode(String.valueOf(keys.get(0)), StandardCharsets.UTF_8)))
			.isEqualTo(204);
		assertThat(application.get("/actuator/ratelimits/orders/bans").jsons("$.bans[*].key")).isEmpty();
	}

	@Test
	void onlyBansOfRulesExist() {
		RunningApplication application = start();
		for (String path : List.of("/actuator/ratelimits/orders/other", "/actuator/ratelimits/none/bans")) {
			assertThat(application.get(path).status()).isEqualTo(404);
			assertThat(delete(application, path + "?key=x")).isEqualTo(404);
		}
		assertThat(delete(application, "/actuator/ratelimits/orders/bans")).isEqualTo(400);
	}

	@Test
	void startedBansAreCounted() {
		RunningApplication application = start("tierlimit.rules.other.rate=1000/s");
		assertThat(bansCounted(application)).isZero();
		statuses(application, 20);
		Poll.until(() -> bansCounted(application) == 1, () -> "not counted");
		MeterRegistry meters = application.bean(MeterRegistry.class);
		assertThat(meters.find("tierlimit.bans").tag("rule", "other").functionCounter()).isNull();
	}

	@Test
	void successfulResponseRefillsTheBucketButLiftsNoBan() {
		RunningApplication application = start("tierlimit.rules.orders.reset-on=200",
				"tierlimit.rules.orders.cost=path == '/orders/9' ? 3 : 1");
		for (int i = 0; i < 3; i++) {
			assertThat(statuses(application, 5)).as("each response refills").containsOnly(200);
			assertThat(application.get("/orders/9", "X-Forwarded-For", "198.51.100.1").status()).isEqualTo(429);
		}
		assertBan(get(application), 600);
	}

	@Test
	void callerReadsItsBanAtThePathOfItsLimits() {
		RunningApplication application = start("tierlimit.web.limits-path=/limits");
		statuses(application, 5);
		Response limits = application.get("/limits", "X-Forwarded-For", "198.51.100.1");
		assertThat(limits.jsons("$.limits[*].remaining")).containsExactly(0);
		assertThat(limits.jsons("$.limits[*].retry-after")).containsExactly(600);
	}

	@Test
	void instancesShareBansInRedis() {
		try (RedisServer server = RedisServer.start();
				RunningApplication one = startOn(server);
				RunningApplication other = startOn(server)) {
			assertThat(statuses(one, 2)).containsOnly(200);
			assertThat(get(one).status() + get(other).status()).isEqualTo(2 * 429);
			Response third = get(other);
			assertThat(third.json("$.type")).isEqualTo(ABNORMAL_USAGE);
			assertThat(Long.parseLong(third.header("Retry-After"))).isBetween(590L, 600L);
			assertThat(get(one).json("$.type")).isEqualTo(ABNORMAL_USAGE);
			assertThat(get(other).json("$.type")).as("from the cache").isEqualTo(ABNORMAL_USAGE);
			Response bans = one.get("/actuator/ratelimits/orders/bans");
			assertThat(bans.jsons("$.bans[*].key")).containsExactly("198.51.100.1");
			assertThat(delete(one, "/actuator/ratelimits/orders/bans?key=198.51.100.1")).isEqualTo(204);
			assertThat(get(one).status()).isEqualTo(200);
			Poll.until(() -> get(other).status() == 200, () -> "still banned");
			assertThat(server.command("DBSIZE")).isEqualTo("1");
		}
	}

	private static double bansCounted(RunningApplication application) {
		return application.bean(MeterRegistry.class)
			.get("tierlimit.bans")
			.tag("rule", "orders")
			.functionCounter()
			.count();
	}

	private static void assertBan(Response response, int seconds) {
		assertThat(response.status()).isEqualTo(429);
		assertThat(response.header("Retry-After")).isEqualTo(Integer.toString(seconds));
		assertThat(response.header("Content-Type")).isEqualTo("application/problem+json");
		assertThat(response.json("$.type")).isEqualTo(ABNORMAL_USAGE);
		assertThat(response.json("$.status")).isEqualTo(429);
		assertThat(response.json("$.retry-after")).isEqualTo(seconds);
		assertThat(response.jsons("$.violated-policies[*]")).containsExactly("orders");
	}

	private static List<Integer> statuses(RunningApplication application, int requests) {
		List<Integer> statuses = new ArrayList<>();
		for (int i = 0; i < requests; i++) {
			statuses.add(get(application).status());
		}
		return statuses;
	}

	private static Response get(RunningApplication application) {
		return get(application, "198.51.100.1");
	}

	private static Response get(RunningApplication application, String address) {
		return application.get("/orders/1", "X-Forwarded-For", address);
	}

	private static int delete(RunningApplication application, String path) {
		return application.send("DELETE", path).status();
	}

	private static RunningApplication startOn(RedisServer server) {
		return RunningApplication.start(TestApplication.class,
				orders("tierlimit.store=redis", "spring.data.redis.port=" + server.port()));
	}

	private static RunningApplication start() {
		return applications.start(TestApplication.class, orders());
	}

	/** Starts another application: bans would be suspended after a reload. */
	private RunningApplication start(String... properties) {
		this.other = RunningApplication.start(TestApplication.class, orders(properties));
		return this.other;
	}

	private static String[] orders(String... properties) {
		Map<String, String> all = new LinkedHashMap<>();
		for (String[] texts : List.of(ORDERS, properties)) {
			for (String text : texts) {
				all.put(text.substring(0, text.indexOf('=')), text);
			}
		}
		return all.values().toArray(String[]::new);
	}

}
