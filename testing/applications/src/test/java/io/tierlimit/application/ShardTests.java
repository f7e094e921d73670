package io.tierlimit.application;

import io.tierlimit.PermitRequest;
import io.tierlimit.RateLimiter;
import io.tierlimit.application.RunningApplication.Response;
import io.tierlimit.junit.Poll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests rules whose buckets are spread over shards, over HTTP. Shards are drawn at
 * random, so the tests do not depend on the shard that decides a request.
 */
@Tag("slow")
class ShardTests {

	private static final String[] ALL = { "tierlimit.rules.all.rate=40/d", "tierlimit.rules.all.shards=4",
			"tierlimit.web.limits-path=/limits", "management.endpoints.web.exposure.include=*",
			"management.endpoint.ratelimits.access=unrestricted" };

	@RegisterExtension
	static final SharedApplications applications = new SharedApplications();

	@Test
	void headersAndOtherViewsShowTheSumOfAllShards() {
		RunningApplication application = start();
		Response first = application.get("/any");
		assertThat(first.header("RateLimit-Policy")).isEqualTo("\"all\";q=40;w=86400");
		assertThat(remaining(first)).isEqualTo(39);
		for (long left = 38; left > 20; left--) {
			assertThat(remaining(application.get("/any"))).isEqualTo(left);
		}
		Response limits = application.get("/limits");
		assertThat(limits.json("$.limits[0].limit")).isEqualTo(40);
		assertThat(limits.json("$.limits[0].remaining")).isEqualTo(21);
		assertThat(left(application)).isEqualTo(21);
	}

	@Test
	void endpointShowsOneBucketAndResetsAllShards() {
		RunningApplication application = start();
		consumeAll(application);
		Response rule = application.get("/actuator/ratelimits/all");
		assertThat(rule.json("$.shards")).isEqualTo(4);
		assertThat(rule.json("$.limit.burst")).isEqualTo(40);
		for (String bucket : new String[] { "/all?key=", "?address=127.0.0.1", "?user=alice" }) {
			Response shown = application.get("/actuator/ratelimits" + bucket);
			assertThat(shown.jsons("$.buckets[*].rule")).as(bucket).containsExactly("all");
			assertThat(shown.jsons("$.buckets[*].key")).containsExactly("");
			assertThat(shown.jsons("$.buckets[*].permits")).containsExactly(0);
			assertThat(shown.jsons("$.buckets[*].capacity")).containsExactly(40);
		}
		assertThat(application.send("DELETE", "/actuator/ratelimits/all").status()).isEqualTo(204);
		assertThat(left(application)).isEqualTo(40);
	}

	@Test
	void requestIsCountedOnce() {
		RunningApplication application = applications.startOwn(TestApplication.class, ALL);
		assertThat(application.statuses(20, "/any")).containsOnly(200);
		application.bean(RateLimiter.class).acquire(PermitRequest.of("all").cost(20));
		assertThat(application.statuses(3, "/any")).containsOnly(429);
		// A request is counted when it ends, which may be after its response.
		Poll.until(() -> totals(application).equals("{allowed=21, rejected=3}"), () -> totals(application));
	}

	private static String totals(RunningApplication application) {
		return application.get("/actuator/ratelimits/all").json("$.totals").toString();
	}

	/** Sends requests until all shards are empty. */
	private static void consumeAll(RunningApplication application) {
		while (left(application) > 0) {
			application.get("/any");
		}
	}

	private static long left(RunningApplication application) {
		return application.left(PermitRequest.of("all"));
	}

	private static long remaining(Response response) {
		return response.rateLimit().get("all").get("r");
	}

	private static RunningApplication start() {
		return applications.start(TestApplication.class, ALL);
	}

}
