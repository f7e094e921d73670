package io.tierlimit.application;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.tierlimit.database.TestDatabase;
import io.tierlimit.junit.Poll;
import io.tierlimit.metrics.RateLimitMeter;
import io.tierlimit.metrics.StoreMeters;
import io.tierlimit.redis.RedisServer;
import io.tierlimit.store.StoreListener;
import io.tierlimit.store.StoreListener.CallOutcome;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that the meters of a running application equal the responses that its clients
 * get.
 */
@Tag("slow")
class MeterTests {

	@RegisterExtension
	static final SharedApplications applications = new SharedApplications();

	private RunningApplication application;

	@Test
	void everyRequestIsCountedOnceUnderEveryRule() {
		start("tierlimit.rules.all.rate=100/d", "tierlimit.rules.per-user.rate=2/d",
				"tierlimit.rules.per-user.scope=user,endpoint", "tierlimit.rules.per-user.plans.pro.rate=3/d",
				"tierlimit.rules.tried.rate=1/d", "tierlimit.rules.tried.mode=shadow");
		assertThat(registry().get("tierlimit.requests")
			.tags("rule", "per-user", "plan", "pro", "outcome", "rejected")
			.counter()
			.count()).as("registered before the first request").isZero();
		for (int i = 0; i < 4; i++) {
			assertThat(get("alice")).isEqualTo((i < 2) ? 200 : 429);
			assertThat(get("bob")).isEqualTo((i < 3) ? 200 : 429);
		}
		assertCounts("tierlimit.requests",
				Map.of("all global other allowed", 8.0, "per-user endpoint+user other allowed", 2.0,
						"per-user endpoint+user other rejected", 2.0, "per-user endpoint+user pro allowed", 3.0,
						"per-user endpoint+user pro rejected", 1.0, "tried global other allowed", 1.0,
						"tried global other shadow-rejected", 7.0));
		assertCounts("tierlimit.requests.near.limit", Map.of("per-user endpoint+user other", 1.0,
				"per-user endpoint+user pro", 1.0, "tried global other", 1.0));
		assertThat(timer(RateLimitMeter.EVALUATION, "store", "memory").count()).as("two stages each").isEqualTo(16);
	}

	@Test
	void noMeterHasATagThatIsNotDocumented() {
		try (RedisServer server = RedisServer.start()) {
			startOn(server, ListeningApplication.class, "tierlimit.rules.users.rate=1/d",
					"tierlimit.rules.users.scope=user,endpoint", "tierlimit.rules.users.ban.after=1",
					"tierlimit.rules.users.ban.within=1m", "tierlimit.rules.users.ban.for=1m",
					"tierlimit.rules.users.candidate.rate=2/d", "tierlimit.rules.users.adaptive.min-rate=1/2d",
					"tierlimit.rules.users.adaptive.max-error-rate=5%", "tierlimit.rules.exports.algorithm=concurrency",
					"tierlimit.rules.exports.limit=9", "tierlimit.rules.tokens.rate=9/d",
					"tierlimit.rules.tokens.actual-cost=status / 100", "tierlimit.audit.jdbc.enabled=true",
					"test.database=" + TestDatabase.H2.create());
			get("alice");
			server.kill();
			get("alice");
		}
		assertThat(this.application.bean(ListeningApplication.class).calls.get()).as("listener of the application")
			.isPositive();
		this.application.bean(StoreMeters.class).onLostHolder("exports");
		Map<String, RateLimitMeter> documented = new TreeMap<>();
		for (RateLimitMeter meter : RateLimitMeter.values()) {
			documented.put(meter.getName(), meter);
			assertThat(registry().find(meter.getName()).meters()).as(meter.getName()).isNotEmpty();
		}
		registry().getMeters()
			.stream()
			.map(Meter::getId)
			.filter((id) -> id.getName().startsWith("tierlimit."))
			.forEach((id) -> {
				RateLimitMeter meter = documented.get(id.getName());
				if (!id.getName().endsWith(".active")) {
					assertThat(meter).as(id.getName()).isNotNull();
					assertThat(id.getTags()).extracting((tag) -> tag.getKey())
						.containsExactlyInAnyOrder(
								Arrays.stream(meter.getKeyNames()).map((key) -> key.asString()).toArray(String[]::new));
					assertThat(id.getType()).isEqualTo(meter.getType());
				}
				assertThat(id.getTags()).extracting((tag) -> tag.getValue())
					.noneMatch((value) -> value.contains("alice") || value.contains("127"));
			});
	}

	@Test
	void traceShowsTheEvaluationAndTheViolatedRule() {
		start("tierlimit.rules.all.rate=1/d", "tierlimit.metrics.observations=true");
		Spans spans = new Spans();
		this.application.bean(ObservationRegistry.class).observationConfig().observationHandler(spans);
		get("alice");
		get("alice");
		Poll.until(() -> spans.of("http.server.requests").size() == 2, () -> "requests: " + spans);
		for (String name : List.of("tierlimit.evaluation", "http.server.requests")) {
			assertThat(spans.of(name)).filteredOn((span) -> span.getHighCardinalityKeyValue("tierlimit.rule") != null)
				.singleElement()
				.satisfies((rejected) -> assertThat(rejected.getHighCardinalityKeyValue("tierlimit.rule").getValue())
					.isEqualTo("all"));
		}
	}

	private void start(String... properties) {
		this.application = applications.startOwn(TestApplication.class, properties);
	}

	private void startOn(RedisServer server, Class<?> type, String... properties) {
		this.application = applications.startOwn(type, RunningApplication.redis(server.port(), properties));
	}

	private MeterRegistry registry() {
		return this.application.bean(MeterRegistry.class);
	}

	private int get(String user) {
		return this.application.getAs(user, "/orders/1").status();
	}

	private Timer timer(RateLimitMeter meter, String tag, String value) {
		return registry().get(meter.getName()).tag(tag, value).timer();
	}

	/**
	 * Waits for the counts, because a request is counted when it ends, which may be after
	 * its response.
	 */
	private void assertCounts(String meter, Map<String, Double> expected) {
		Poll.until(() -> counts(meter).equals(expected),
				() -> "expected " + new TreeMap<>(expected) + " but was " + counts(meter));
	}

	private Map<String, Double> counts(String meter) {
		Map<String, Double> counts = new TreeMap<>();
		registry().get(meter).counters().forEach((counter) -> {
			StringBuilder tags = new StringBuilder();
			for (String tag : new String[] { "rule", "scope", "plan", "outcome" }) {
				String value = counter.getId().getTag(tag);
				tags.append((value != null) ? value + " " : "");
			}
			if (counter.count() > 0) {
				counts.put(tags.toString().trim(), counter.count());
			}
		});
		return counts;
	}

	/**
	 * An application with a listener.
	 */
	@Configuration(proxyBeanMethods = false)
	@Import(AuditedApplication.class)
	static class ListeningApplication implements StoreListener {

		private final AtomicInteger calls = new AtomicInteger();

		@Override
		public void onCall(CallOutcome outcome, long nanos) {
			this.calls.incrementAndGet();
		}

		@Override
		public void onCachedRejection() {
			this.calls.incrementAndGet();
		}

	}

	/**
	 * Stores the observations from which a tracer would create spans.
	 */
	private static final class Spans implements ObservationHandler<Observation.Context> {

		private final List<Observation.Context> stopped = new CopyOnWriteArrayList<>();

		@Override
		public void onStop(Observation.Context context) {
			this.stopped.add(context);
		}

		@Override
		public boolean supportsContext(Observation.Context context) {
			return true;
		}

		List<Observation.Context> of(String name) {
			return this.stopped.stream().filter((context) -> name.equals(context.getName())).toList();
		}

		@Override
		public String toString() {
			return this.stopped.toString();
		}

	}

}
