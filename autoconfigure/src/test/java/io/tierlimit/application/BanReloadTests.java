package io.tierlimit.application;

import java.time.Duration;
import java.util.Map;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.tierlimit.application.RunningApplication.Response;
import io.tierlimit.redis.Poll;
import io.tierlimit.redis.RedisServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests bans of rules that change at run time. A request for {@code /orders/9} costs more
 * than the capacity, so the others need not wait for permits.
 */
@Tag("slow")
class BanReloadTests {

	private static final String[] ORDERS = { "tierlimit.rules.orders.rate=100/d", "tierlimit.rules.orders.scope=ip",
			"tierlimit.rules.orders.paths=/orders/**", "tierlimit.rules.orders.cost=path == '/orders/9' ? 101 : 1",
			"management.endpoints.web.exposure.include=*", "management.endpoint.ratelimits.access=unrestricted" };

	private static final Map<String, String> BAN = Map.of("ban.after", "3", "ban.within", "1m", "ban.for", "10m",
			"ban.max", "1d");

	@RegisterExtension
	static final SharedApplications applications = new SharedApplications();

	@Test
	void callersAreFreeAtOnceIfTheBanIsRemoved() {
		RunningApplication application = startBanned();
		reload(application, Map.of());
		assertThat(application.get("/orders/1").status()).isEqualTo(200);
		assertThat(application.get("/actuator/ratelimits/orders/bans").jsons("$.bans[*]")).isEmpty();
		assertThat(application.get("/actuator/ratelimits/orders?address=127.0.0.1").jsons("$.buckets[*].permits"))
			.containsExactly(99);
		assertThat(application.get("/actuator/ratelimits/orders?address=127.0.0.1").jsons("$.buckets[*].bannedUntil"))
			.isEmpty();
		for (int i = 0; i < 5; i++) {
			assertThat(application.get("/orders/9").body()).contains("#quota-exceeded");
		}
		assertThat(application.get("/orders/1").status()).isEqualTo(200);
	}

	@Test
	void banThatHasNotEndedIsInForceAgainIfTheRuleHasABanAgain() {
		RunningApplication application = startBanned();
		reload(application, Map.of());
		application.clock().advance(Duration.ofMinutes(4));
		assertThat(application.get("/orders/1").status()).isEqualTo(200);
		reload(application, BAN);
		assertThat(application.get("/orders/1").header("Retry-After")).isEqualTo("360");
		application.clock().advance(Duration.ofMinutes(6));
		assertThat(application.get("/orders/1").status()).isEqualTo(200);
	}

	@Test
	void changedBanKeepsTheEndOfBansInForceAndAppliesToTheNextOne() {
		RunningApplication application = startBanned();
		reload(application, Map.of("ban.after", "2", "ban.within", "1m", "ban.for", "1m", "ban.max", "1d"));
		assertThat(application.get("/orders/1").header("Retry-After")).isEqualTo("600");
		application.clock().advance(Duration.ofMinutes(10));
		assertThat(application.get("/orders/9").body()).contains("#quota-exceeded");
		Response second = application.get("/orders/9");
		assertThat(second.body()).contains("#abnormal-usage-detected");
		assertThat(application.get("/orders/1").header("Retry-After")).as("the second in a row").isEqualTo("120");
	}

	@Test
	void banThatIsAddedStartsBansAndCountsThem() {
		RunningApplication application = start();
		for (int i = 0; i < 10; i++) {
			assertThat(application.get("/orders/9").body()).contains("#quota-exceeded");
		}
		MeterRegistry meters = application.bean(MeterRegistry.class);
		assertThat(meters.find("tierlimit.bans").functionCounter()).isNull();
		reload(application, BAN);
		FunctionCounter bans = meters.get("tierlimit.bans").tag("rule", "orders").functionCounter();
		assertThat(bans.count()).isZero();
		ban(application);
		Poll.until(() -> bans.count() == 1, () -> bans.count() + " bans");
		assertThat(application.get("/actuator/ratelimits/orders").jsons("$.ban[*]")).hasSize(4);
	}

	@Test
	void callersAreFreeAtOnceInRedisOnEachInstanceWhoseRulesHaveNoBan() {
		try (RedisServer server = RedisServer.start()) {
			String[] redis = RunningApplication.redis(server.port());
			RunningApplication one = startBanned(redis);
			RunningApplication other = start(redis);
			reload(other, BAN);
			assertThat(other.get("/orders/1").status()).isEqualTo(429);
			reload(one, Map.of());
			assertThat(one.get("/orders/1").status()).isEqualTo(200);
			assertThat(one.get("/orders/9").body()).contains("#quota-exceeded");
			assertThat(one.get("/actuator/ratelimits/orders/bans").jsons("$.bans[*]")).isEmpty();
			assertThat(other.get("/orders/1").status()).as("its rules have the ban").isEqualTo(429);
			reload(other, Map.of());
			assertThat(other.get("/orders/1").status()).as("despite the cached rejection").isEqualTo(200);
			assertThat(one.get("/actuator/ratelimits/orders?address=127.0.0.1").jsons("$.buckets[*].permits"))
				.containsExactly(98);
		}
	}

	private RunningApplication startBanned(String... properties) {
		RunningApplication application = start(properties);
		reload(application, BAN);
		ban(application);
		assertThat(application.get("/orders/1").status()).isEqualTo(429);
		return application;
	}

	private static void ban(RunningApplication application) {
		assertThat(application.get("/orders/9").body()).contains("#quota-exceeded");
		assertThat(application.get("/orders/9").body()).contains("#quota-exceeded");
		assertThat(application.get("/orders/9").body()).contains("#abnormal-usage-detected");
	}

	private static void reload(RunningApplication application, Map<String, String> orders) {
		assertThat(ChangingRules.reload(application, orders).json("$.outcome")).isEqualTo("replaced");
	}

	private static RunningApplication start(String... properties) {
		return applications.startOwn(ChangingRules.class, RunningApplication.with(ORDERS, properties));
	}

}
