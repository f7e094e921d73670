package io.tierlimit.application;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;

import io.tierlimit.PermitRequest;
import io.tierlimit.RateLimiter;
import io.tierlimit.application.RunningApplication.Response;
import io.tierlimit.junit.Poll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests the keys with the most rejections over HTTP. A request is counted after its
 * response has been sent.
 */
@Tag("slow")
class OffenderTests {

	private static final String PATH = "/actuator/ratelimits/orders/offenders";

	private static final String[] ORDERS = { "tierlimit.rules.orders.rate=2/d", "tierlimit.rules.orders.scope=ip",
			"tierlimit.rules.orders.paths=/orders/**", "tierlimit.client-ip.trusted-proxies=127.0.0.0/8",
			"management.endpoints.web.exposure.include=*", "management.endpoint.ratelimits.access=unrestricted" };

	@RegisterExtension
	static final SharedApplications applications = new SharedApplications();

	@Test
	void keyInTheListShowsItsBucketAndLiftsItsBan() {
		RunningApplication application = start("tierlimit.rules.orders.scope=ip,user",
				"tierlimit.rules.orders.key=header('X-Api-Key')", "tierlimit.keys.secret=0123456789abcdef",
				"tierlimit.rules.orders.plans.pro.rate=3/d", "tierlimit.rules.orders.ban.after=3",
				"tierlimit.rules.orders.ban.within=1m", "tierlimit.rules.orders.ban.for=10m");
		String[] headers = { "X-Forwarded-For", "198.51.100.1", "X-Api-Key", "secret|1", "Authorization",
				RunningApplication.basic("bob", "secret") };
		application.assertAllowed(3, 6, "/orders/1", headers);
		Response list = expect(application, 3);
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
		assertThat(expect(application, 4).json("$.offenders[0].bucket.permits")).isEqualTo(2);
	}

	@Test
	void floodOfKeysLeavesABoundedListWithTheKeyThatIsRejectedMost() {
		RunningApplication application = start();
		RateLimiter limiter = application.bean(RateLimiter.class);
		for (int i = 0; i < 1000; i++) {
			limiter.tryAcquire(PermitRequest.of("orders").ip((i % 4 == 0) ? "198.51.100.1" : "key-" + i).cost(3));
		}
		Response list = expect(application, 1000);
		assertThat(list.jsons("$.offenders[*].key")).hasSize(100).startsWith("198.51.100.1");
		assertThat((Integer) list.json("$.offenders[0].atLeast")).isLessThanOrEqualTo(250);
		assertThat((Integer) list.json("$.offenders[0].atMost")).isGreaterThanOrEqualTo(250);
		application.clock().advance(Duration.ofHours(2));
		assertThat(expect(application, 0).jsons("$.offenders[*]")).isEmpty();
	}

	@Test
	void onlyTheListOfAnActiveRuleExists() {
		RunningApplication application = start();
		assertThat(application.get("/actuator/ratelimits/none/offenders").status()).isEqualTo(404);
		assertThat(application.send("DELETE", PATH + "?key=x").status()).isEqualTo(404);
		application.statuses(3, "/orders/1", "X-Forwarded-For", "198.51.100.1");
		expect(application, 1);
		reload(application, Map.of("enabled", "false"));
		assertThat(application.get(PATH).status()).isEqualTo(404);
		reload(application, Map.of("rate", "1/d"));
		assertThat(expect(application, 0).jsons("$.offenders[*]")).isEmpty();
		application.statuses(3, "/orders/1", "X-Forwarded-For", "198.51.100.2");
		expect(application, 2);
		reload(application, Map.of("rate", "2/d"));
		assertThat(expect(application, 2).jsons("$.offenders[*].bucket.capacity")).as("a changed rule keeps its counts")
			.containsExactly(2);
	}

	/** Waits until all rejections are counted. */
	private static Response expect(RunningApplication application, int rejections) {
		Poll.until(() -> application.get(PATH).json("$.rejections").equals(rejections),
				() -> application.get(PATH).body());
		return application.get(PATH);
	}

	private static void reload(RunningApplication application, Map<String, String> orders) {
		assertThat(ChangingRules.reload(application, orders).json("$.outcome")).isEqualTo("replaced");
	}

	private static RunningApplication start(String... properties) {
		return applications.startOwn(ChangingRules.class, ORDERS, properties);
	}

}
