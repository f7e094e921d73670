package io.tierlimit.application;

import java.util.List;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.tierlimit.PermitRequest;
import io.tierlimit.RateLimiter;
import io.tierlimit.application.RunningApplication.Response;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests a rule whose bucket is spread over shards, over HTTP. With two shards, each
 * request is decided by the one with more permits.
 */
@Tag("slow")
class ShardTests {

	@RegisterExtension
	static final SharedApplications applications = new SharedApplications();

	@Test
	void bucketIsShownAsAWhole() {
		RunningApplication application = start("tierlimit.rules.all.shards=2");
		for (int i = 3; i >= 0; i--) {
			Response allowed = application.get("/orders/1");
			assertThat(allowed.status()).isEqualTo(200);
			assertThat(allowed.header("RateLimit-Policy")).isEqualTo("\"all\";q=4;w=345600");
			assertThat(allowed.header("RateLimit")).startsWith("\"all\";r=" + i + ";");
		}
		Response rejected = application.get("/orders/1");
		assertThat(rejected.status()).isEqualTo(429);
		// One of two shards has two permits in four days, and the first was charged
		// first.
		assertThat(Integer.parseInt(rejected.header("Retry-After"))).isBetween(172_000, 172_800);
		assertThat(application.get("/limits").jsons("$.limits[*].remaining")).containsExactly(0);
		Response rule = application.get("/actuator/ratelimits/all");
		assertThat(rule.json("$.shards")).isEqualTo(2);
	}

	@Test
	void requestsAreCountedOnceAndResetsFillAllShards() {
		RunningApplication application = start("tierlimit.rules.all.shards=4", "tierlimit.rules.all.burst=8");
		double before = allowed(application);
		for (int i = 0; i < 60; i++) {
			application.get("/orders/1");
		}
		assertThat(allowed(application) - before).isEqualTo(8);
		assertThat(application.get("/actuator/ratelimits/all?address=127.0.0.1").jsons("$.buckets[*].permits"))
			.containsExactly(0);
		assertThat(application.bean(RateLimiter.class).reset(PermitRequest.of("all"))).isTrue();
		assertThat(application.get("/actuator/ratelimits/all?address=127.0.0.1").jsons("$.buckets[*].permits"))
			.containsExactly(8);
		assertThat(application.get("/orders/1").header("RateLimit")).startsWith("\"all\";r=7;");
		assertThat(application.send("DELETE", "/actuator/ratelimits/all").status()).isEqualTo(204);
		assertThat(application.get("/orders/1").header("RateLimit")).startsWith("\"all\";r=7;");
	}

	@Test
	void otherRuleRejectsTheRequestWithoutACharge() {
		RunningApplication application = start("tierlimit.rules.all.shards=2", "tierlimit.rules.one.rate=1/d",
				"tierlimit.rules.one.scope=ip");
		assertThat(application.get("/orders/1").status()).isEqualTo(200);
		for (int i = 0; i < 5; i++) {
			assertThat(application.get("/orders/1").status()).isEqualTo(429);
		}
		assertThat(application.get("/actuator/ratelimits/all?address=127.0.0.1").jsons("$.buckets[*].permits"))
			.isEqualTo(List.of(3));
	}

	private static double allowed(RunningApplication application) {
		return application.bean(MeterRegistry.class)
			.get("tierlimit.requests")
			.tags("rule", "all", "outcome", "allowed")
			.counters()
			.stream()
			.mapToDouble(Counter::count)
			.sum();
	}

	private static RunningApplication start(String... properties) {
		return applications.start(TestApplication.class,
				RunningApplication.with(properties, "tierlimit.rules.all.rate=4/4d",
						"tierlimit.rules.all.paths=/orders/**", "tierlimit.web.limits-path=/limits",
						"management.endpoints.web.exposure.include=*",
						"management.endpoint.ratelimits.access=unrestricted"));
	}

}
