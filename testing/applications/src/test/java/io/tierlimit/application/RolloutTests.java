package io.tierlimit.application;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.stream.IntStream;

import io.micrometer.core.instrument.MeterRegistry;
import io.tierlimit.application.RunningApplication.Response;
import io.tierlimit.option.share.EnforcedShare;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import org.springframework.boot.builder.SpringApplicationBuilder;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests the roll-out of limits over HTTP.
 */
@Tag("slow")
class RolloutTests {

	private static final List<String> ADDRESSES = IntStream.range(0, 40).mapToObj((i) -> "198.51.100." + i).toList();

	private static final String[] ORDERS = { "tierlimit.rules.orders.rate=1/d", "tierlimit.rules.orders.scope=ip",
			"tierlimit.rules.orders.paths=/orders/**", "tierlimit.client-ip.trusted-proxies=127.0.0.0/8",
			"management.endpoints.web.exposure.include=*", "management.endpoint.ratelimits.access=unrestricted" };

	@RegisterExtension
	static final SharedApplications applications = new SharedApplications();

	@Test
	void ruleRejectsOnlyTheShareOfItsKeysAndShowsItselfOnlyToThem() {
		RunningApplication application = start("tierlimit.rules.orders.enforce-share=25%",
				"tierlimit.rules.orders.ban.after=3", "tierlimit.rules.orders.ban.within=1m",
				"tierlimit.rules.orders.ban.for=10d", "tierlimit.web.limits-path=/limits");
		for (String address : ADDRESSES) {
			boolean enforced = new EnforcedShare(0.25).includes("orders", address);
			Response first = get(application, address);
			assertThat(first.status()).isEqualTo(200);
			assertThat(first.header("RateLimit")).isEqualTo(enforced ? "\"orders\";r=0;t=86400" : "");
			for (int i = 0; i < 4; i++) {
				assertThat(get(application, address).status()).isEqualTo(enforced ? 429 : 200);
			}
			assertThat(get(application, address).header("Retry-After")).isEqualTo(enforced ? "864000" : "");
			Response bucket = application.get("/actuator/ratelimits/orders?address=" + address);
			assertThat(bucket.jsons("$.buckets[*].permits")).containsExactly(0);
			assertThat(bucket.jsons("$.buckets[*].shadow")).isEqualTo(enforced ? List.of() : List.of(true));
			assertThat(application.get("/limits", "X-Forwarded-For", address).jsons("$.limits[*].remaining"))
				.isEqualTo(enforced ? List.of(0) : List.of());
		}
		Response rule = application.get("/actuator/ratelimits/orders");
		assertThat(rule.json("$.enforceShare")).isEqualTo(0.25);
		assertThat(rule.json("$.totals.allowed")).isEqualTo(40);
		int rejected = (int) rule.json("$.totals.rejected");
		assertThat(rejected).isBetween(20, 100).isEqualTo(200 - (int) rule.json("$.totals.shadow-rejected"));
	}

	@Test
	void ruleAppliesAtItsTimesOnly() {
		RunningApplication application = applications
			.add(RunningApplication.start(new SpringApplicationBuilder(TestApplication.class, Calendar.class),
					RunningApplication.with(ORDERS, "tierlimit.rules.orders.schedule.weekly=MON-FRI 08:00-18:00",
							"tierlimit.rules.orders.schedule.zone=Europe/Berlin")));
		Calendar calendar = application.bean(Calendar.class);
		for (int i = 0; i < 3; i++) {
			Response response = get(application, ADDRESSES.get(0));
			assertThat(response.status()).isEqualTo(200);
			assertThat(response.header("RateLimit")).isEmpty();
		}
		Response rule = application.get("/actuator/ratelimits/orders");
		assertThat(rule.json("$.schedule.now")).isEqualTo(false);
		assertThat(rule.json("$.schedule.nextChange")).isEqualTo("2026-11-27T07:00:00Z");
		calendar.now = Instant.parse("2026-11-27T07:00:00Z");
		assertThat(get(application, ADDRESSES.get(0)).status()).isEqualTo(200);
		assertThat(get(application, ADDRESSES.get(0)).status()).isEqualTo(429);
		rule = application.get("/actuator/ratelimits/orders");
		assertThat(rule.json("$.schedule.now")).isEqualTo(true);
		assertThat(rule.json("$.schedule.nextChange")).isEqualTo("2026-11-27T17:00:00Z");
		calendar.now = Instant.parse("2026-11-27T17:00:00Z");
		assertThat(get(application, ADDRESSES.get(0)).status()).isEqualTo(200);
	}

	@Test
	void candidateIsComparedWithItsRuleAndRejectsNoRequest() {
		RunningApplication application = start("tierlimit.rules.orders.burst=4",
				"tierlimit.rules.orders.candidate.rate=1/d", "tierlimit.rules.orders.candidate.burst=1");
		for (int i = 0; i < 5; i++) {
			Response response = get(application, ADDRESSES.get(0));
			assertThat(response.status()).isEqualTo((i < 4) ? 200 : 429);
			assertThat(response.header("RateLimit-Policy")).doesNotContain("candidate");
		}
		Response rule = application.get("/actuator/ratelimits/orders");
		assertThat(rule.json("$.candidate").toString()).isEqualTo("{id=orders.candidate, compared=5, "
				+ "rejectedOnlyByCandidate=3, rejectedOnlyByRule=0, rejectedMorePercent=60.0}");
		Response candidate = application.get("/actuator/ratelimits/orders.candidate");
		assertThat(candidate.json("$.candidateOf")).isEqualTo("orders");
		assertThat(candidate.json("$.mode")).isEqualTo("shadow");
		assertThat(candidate.json("$.limit.burst")).isEqualTo(1);
		assertThat(candidate.json("$.totals").toString()).isEqualTo("{allowed=1, shadow-rejected=4}");
		assertThat(application.get("/actuator/ratelimits").jsons("$.rules[*].id")).containsExactly("orders",
				"orders.candidate");
		assertThat(application.bean(MeterRegistry.class)
			.get("tierlimit.candidate.requests")
			.tags("rule", "orders", "outcome", "rejected-only-by-candidate")
			.functionCounter()
			.count()).isEqualTo(3);
	}

	private static Response get(RunningApplication application, String address) {
		return application.get("/orders/1", "X-Forwarded-For", address);
	}

	private static RunningApplication start(String... properties) {
		return applications.startOwn(TestApplication.class, ORDERS, properties);
	}

	/** The clock of schedules, which begins on a Friday before the working hours. */
	static class Calendar extends Clock {

		private volatile Instant now = Instant.parse("2026-11-27T06:59:59Z");

		@Override
		public ZoneId getZone() {
			return ZoneOffset.UTC;
		}

		@Override
		public Clock withZone(ZoneId zone) {
			throw new UnsupportedOperationException();
		}

		@Override
		public Instant instant() {
			return this.now;
		}

	}

}
