package io.tierlimit.application;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

import io.micrometer.core.instrument.MeterRegistry;
import io.tierlimit.application.RunningApplication.Response;
import io.tierlimit.junit.Poll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests bans, and the keys with the most rejections, over HTTP.
 */
@ExtendWith(OutputCaptureExtension.class)
@Tag("slow")
class BanTests {

	private static final String ABNORMAL_USAGE = "https://iana.org/assignments/http-problem-types#abnormal-usage-detected";

	private static final String OFFENDERS = "/actuator/ratelimits/orders/offenders";

	private static final String[] ORDERS = { "tierlimit.rules.orders.rate=1/s", "tierlimit.rules.orders.burst=2",
			"tierlimit.rules.orders.scope=ip", "tierlimit.rules.orders.paths=/orders/**",
			"tierlimit.rules.orders.ban.after=3", "tierlimit.rules.orders.ban.within=1m",
			"tierlimit.rules.orders.ban.for=10m", "tierlimit.rules.orders.ban.max=1d",
			"tierlimit.client-ip.trusted-proxies=127.0.0.0/8", "management.endpoints.web.exposure.include=*",
			"management.endpoint.ratelimits.access=unrestricted", "tierlimit.rejections.log=true",
			"tierlimit.web.limits-path=/limits", "logging.level.io.tierlimit.event=info" };

	private static final String[] CALLER = { "X-Forwarded-For", "198.51.100.1" };

	@RegisterExtension
	static final SharedApplications applications = new SharedApplications();

	@Test
	void callerThatIsRejectedTooOftenIsBannedForTheTimeInItsResponse(CapturedOutput output) {
		RunningApplication application = start();
		application.assertAllowed(2, 4, "/orders/1", CALLER);
		Response last = get(application);
		assertThat(last.status()).isEqualTo(429);
		assertBan(last, 600);
		assertThat(last.header("RateLimit")).isEqualTo("\"orders\";r=0;t=600");
		Response limits = application.get("/limits", CALLER);
		assertThat(limits.jsons("$.limits[*].remaining")).containsExactly(0);
		assertThat(limits.jsons("$.limits[*].retry-after")).containsExactly(600);
		application.clock().advance(Duration.ofMillis(30_400));
		assertBan(get(application), 570);
		application.clock().advance(Duration.ofMillis(569_599));
		assertThat(get(application).header("Retry-After")).isEqualTo("1");
		application.clock().advance(Duration.ofMillis(1));
		assertThat(get(application).status()).isEqualTo(200);
		assertThat(application.get("/orders/1", "X-Forwarded-For", "198.51.100.9").status()).isEqualTo(200);
		assertThat(output).contains("bucket '198.51.100.1': retry after 600000 ms, banned (1)");
	}

	@Test
	void shadowRuleBlocksNoCaller() {
		RunningApplication application = start("tierlimit.rules.orders.mode=shadow");
		assertThat(application.statuses(10, "/orders/1", CALLER)).containsOnly(200);
		assertThat(application.get("/actuator/ratelimits/orders/bans").jsons("$.bans[*].key"))
			.containsExactly("198.51.100.1");
		assertThat(bansCounted(application)).isEqualTo(1);
		assertThat(application.get("/actuator/ratelimits/orders/offenders").json("$.mode")).isEqualTo("shadow");
	}

	@Test
	void bansAreListedAndLifted() {
		RunningApplication application = start();
		application.statuses(5, "/orders/1", CALLER);
		Response bans = application.get("/actuator/ratelimits/orders/bans");
		assertThat(bans.jsons("$.bans[*].key")).containsExactly("198.51.100.1");
		assertThat(bans.jsons("$.bans[*].number")).containsExactly(1);
		Response bucket = application.get("/actuator/ratelimits/orders?address=198.51.100.1");
		assertThat(bucket.jsons("$.buckets[*].bans")).containsExactly(1);
		assertThat(bucket.jsons("$.buckets[*].permits")).containsExactly(0);
		assertThat(bucket.jsons("$.buckets[*].fullIn")).containsExactly("PT10M");
		assertThat(bucket.jsons("$.buckets[*].bannedUntil")).hasSize(1);
		assertThat(delete(application, "/actuator/ratelimits/orders/bans?key=198.51.100.1")).isEqualTo(204);
		assertThat(get(application).status()).isEqualTo(200);
		application.statuses(4, "/orders/1", CALLER);
		assertBan(get(application), 600);
		assertThat(delete(application, "/actuator/ratelimits/orders?key=ip:198.51.100.1")).isEqualTo(204);
		assertThat(get(application).status()).isEqualTo(200);
		assertThat(application.get("/actuator/ratelimits/orders?address=198.51.100.1").jsons("$.buckets[*].bans"))
			.isEmpty();
	}

	@Test
	void onlyBansOfRulesExist() {
		RunningApplication application = start();
		for (String path : List.of("/actuator/ratelimits/orders/other", "/actuator/ratelimits/none/bans",
				"/actuator/ratelimits/none/offenders")) {
			assertThat(application.get(path).status()).isEqualTo(404);
			assertThat(delete(application, path + "?key=x")).isEqualTo(404);
		}
		assertThat(delete(application, "/actuator/ratelimits/orders/bans")).isEqualTo(400);
	}

	@Test
	void successfulResponseRefillsTheBucketButLiftsNoBan() {
		RunningApplication application = start("tierlimit.rules.orders.reset-on=200",
				"tierlimit.rules.orders.cost=path == '/orders/9' ? 3 : 1");
		for (int i = 0; i < 3; i++) {
			assertThat(application.statuses(5, "/orders/1", CALLER)).as("each response refills").containsOnly(200);
			assertThat(application.get("/orders/9", CALLER).status()).isEqualTo(429);
		}
		assertBan(get(application), 600);
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

	private static Response get(RunningApplication application) {
		return application.get("/orders/1", CALLER);
	}

	private static int delete(RunningApplication application, String path) {
		return application.send("DELETE", path).status();
	}

	private static RunningApplication start() {
		return applications.start(TestApplication.class, ORDERS);
	}

	/** Starts another application, because a reload would suspend bans. */
	private static RunningApplication start(String... properties) {
		return applications.startOwn(TestApplication.class, ORDERS, properties);
	}

	@Test
	void keyInTheListShowsItsBucketAndLiftsItsBan() {
		RunningApplication application = start("tierlimit.rules.orders.rate=2/d",
				"tierlimit.rules.orders.scope=ip,user", "tierlimit.rules.orders.key=header('X-Api-Key')",
				"tierlimit.keys.secret=0123456789abcdef", "tierlimit.rules.orders.plans.pro.rate=3/d",
				"tierlimit.rules.orders.ban.after=3", "tierlimit.rules.orders.ban.within=1m",
				"tierlimit.rules.orders.ban.for=10m");
		String[] headers = { "X-Forwarded-For", "198.51.100.1", "X-Api-Key", "secret|1", "Authorization",
				RunningApplication.basic("bob", "secret") };
		application.assertAllowed(3, 6, "/orders/1", headers);
		Response list = offenders(application, 3);
		String key = String.valueOf(list.json("$.offenders[0].key"));
		assertThat(key).contains("|bob|(hash)").endsWith("|pro").doesNotContain("secret");
		assertThat(list.json("$.offenders[0].bucket.plan")).isEqualTo("pro");
		assertThat(list.json("$.offenders[0].bucket.capacity")).isEqualTo(3);
		assertThat(list.json("$.offenders[0].bucket.bans")).isEqualTo(1);
		assertThat(application.get("/orders/1", headers).status()).isEqualTo(429);
		assertThat(application.get("/actuator/ratelimits/orders/bans").jsons("$.bans[*].key")).containsExactly(key);
		String lift = "/actuator/ratelimits/orders/bans?key=" + URLEncoder.encode(key, StandardCharsets.UTF_8);
		assertThat(application.send("DELETE", lift).status()).isEqualTo(204);
		assertThat(application.get("/orders/1", headers).status()).isEqualTo(200);
		assertThat(offenders(application, 4).json("$.offenders[0].bucket.permits")).isEqualTo(2);
	}

	@Test
	void ruleThatIsEnabledAgainHasNoOffenders() {
		RunningApplication application = applications.startOwn(TestApplication.class, ORDERS);
		application.assertAllowed(2, 3, "/orders/1", CALLER);
		assertThat(offenders(application, 1).jsons("$.offenders[*].key")).containsExactly("198.51.100.1");
		application.reload(RunningApplication.with(ORDERS, "tierlimit.rules.orders.enabled=false"));
		assertThat(application.get(OFFENDERS).status()).isEqualTo(404);
		application.reload(ORDERS);
		assertThat(application.get(OFFENDERS).json("$.rejections")).isEqualTo(0);
		assertThat(application.get(OFFENDERS).jsons("$.offenders[*]")).isEmpty();
	}

	/** Waits until all rejections are counted. */
	private static Response offenders(RunningApplication application, int rejections) {
		Poll.until(() -> application.get(OFFENDERS).json("$.rejections").equals(rejections),
				() -> application.get(OFFENDERS).body());
		return application.get(OFFENDERS);
	}

}
