package io.tierlimit.application;

import java.net.http.HttpClient.Version;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import io.tierlimit.application.ForwardApplication.Work;
import io.tierlimit.application.RunningApplication.Response;
import io.tierlimit.application.WaitingApplication.ManualSleeper;
import io.tierlimit.evaluation.CompiledRule;
import io.tierlimit.evaluation.RulesInForce;
import io.tierlimit.option.adaptive.AdaptiveRate;
import io.tierlimit.option.adaptive.AdaptiveRateUpdater;
import io.tierlimit.redis.Poll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests features over HTTP/2, where the requests of a client are streams of one
 * connection: see docs/architecture.md.
 */
@Tag("slow")
class Http2PairsTests {

	private static final String[] APPLICATION = { "tierlimit.plan.default=pro",
			"tierlimit.client-ip.trusted-proxies=127.0.0.1" };

	@RegisterExtension
	static final SharedApplications applications = new SharedApplications();

	private RunningApplication application;

	@ParameterizedTest
	@CsvSource({ "scope=ip;ban.after=1;ban.within=1d;ban.for=1d, 2", "candidate.rate=1/d, 2", "plans.pro.rate=3/d, 3",
			"mode=shadow, 4", "active.ranges=../2000-01-01T00:00Z, 4" })
	void ruleAllowsAsManyStreamsOfAConnection(String properties, int allowed) {
		start(TestApplication.class, properties.split(";"));
		assertThat(statuses(4)).isEqualTo(RunningApplication.statuses(4, allowed));
	}

	@ParameterizedTest
	@CsvSource({ "exempt=true, 4", "blocked=true, 0" })
	void overrideOfAnAddressAppliesToEachStreamOfItsConnection(String effect, int allowed) {
		start(TestApplication.class, "scope=ip");
		this.application.begin("tierlimit.rules.r.rate=2/d", "tierlimit.rules.r.paths=/any",
				"tierlimit.rules.r.scope=ip", "tierlimit.overrides.a.address=127.0.0.1",
				"tierlimit.overrides.a." + effect);
		assertThat(statuses(4)).isEqualTo(RunningApplication.statuses(4, allowed));
	}

	@Test
	void streamsOfAConnectionAreOneCallerForAnAdaptiveRate() {
		start(TestApplication.class, "paths=/failing", "rate=1000/s", "adaptive.min-rate=1/s",
				"adaptive.max-error-rate=0%");
		for (int i = 0; i < 20; i++) {
			assertThat(this.application.get("/failing").status()).isEqualTo(500);
		}
		assertThat(shareAfterUpdate()).isEqualTo(1);
		for (String from : Stream.iterate(1, (i) -> i + 1).limit(10).map((i) -> "198.51.100." + i).toList()) {
			assertThat(this.application.get("/failing", "X-Forwarded-For", from).status()).isEqualTo(500);
		}
		assertThat(shareAfterUpdate()).isEqualTo(0.8);
	}

	@Test
	void streamThatWaitsDoesNotDelayOthersOfItsConnection() {
		start(WaitingApplication.class, "paths=/delayed", "rate=1/s", "burst=1", "max-wait=9s");
		ManualSleeper sleeper = this.application.bean(ManualSleeper.class);
		try {
			assertThat(this.application.get("/delayed").status()).isEqualTo(200);
			List<CompletableFuture<Response>> waiting = Stream.generate(() -> this.application.getLater("/delayed"))
				.limit(2)
				.toList();
			Poll.until(() -> sleeper.waiting.size() == 2, () -> "Not two waits");
			assertThat(sleeper.waiting).containsExactlyInAnyOrder(Duration.ofSeconds(1), Duration.ofSeconds(2));
			Response other = this.application.get("/any");
			assertThat(other.response().version()).isEqualTo(Version.HTTP_2);
			assertThat(other.status()).isEqualTo(200);
			sleeper.end();
			assertThat(waiting).allMatch((each) -> each.join().status() == 200);
		}
		finally {
			sleeper.end();
		}
	}

	@Test
	void asynchronousStreamIsChargedOnceAndRefundedAtItsEnd() {
		start(TestApplication.class, "paths=/async", "rate=2/d", "charge=404");
		for (int i = 0; i < 4; i++) {
			assertThat(this.application.get("/async").body()).isEqualTo("later");
			Poll.until(() -> this.application.consumed("r", "") == 0, () -> "Not refunded");
		}
		this.application.begin("tierlimit.rules.r.rate=2/d", "tierlimit.rules.r.paths=/async");
		this.application.assertAllowed(2, 4, "/async");
	}

	@Test
	void streamThatIsForwardedIsChargedForItsTargetOnce() {
		start(ForwardApplication.class, "paths=/view", "rate=2/d");
		this.application.bean(Work.class).take();
		this.application.assertAllowed(2, 4, "/job/x");
		assertThat(this.application.consumed("r", "")).isEqualTo(2);
	}

	/** Starts with a rule, which allows two requests a day unless it has another rate. */
	private void start(Class<?> type, String... properties) {
		Map<String, String> rule = new LinkedHashMap<>(Map.of("rate", "2/d", "paths", "/any"));
		for (String property : properties) {
			String[] parts = property.split("=", 2);
			rule.put(parts[0], parts[1]);
		}
		Stream<String> rules = rule.entrySet().stream().map((each) -> "tierlimit.rules.r." + each);
		this.application = applications.startWithHttp2(type,
				RunningApplication.with(APPLICATION, rules.toArray(String[]::new)));
	}

	private List<Integer> statuses(int requests) {
		List<Integer> statuses = new ArrayList<>();
		for (int i = 0; i < requests; i++) {
			Response response = this.application.get("/any");
			assertThat(response.response().version()).isEqualTo(Version.HTTP_2);
			statuses.add(response.status());
		}
		return statuses;
	}

	private double shareAfterUpdate() {
		this.application.bean(AdaptiveRateUpdater.class).update();
		CompiledRule rule = Objects.requireNonNull(this.application.bean(RulesInForce.class).current().rule("r"));
		return Objects.requireNonNull(rule.options().find(AdaptiveRate.class)).share().doubleValue();
	}

}
