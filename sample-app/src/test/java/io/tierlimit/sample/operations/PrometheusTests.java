package io.tierlimit.sample.operations;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

import io.tierlimit.junit.Poll;
import io.tierlimit.metrics.RateLimitMeter;
import io.tierlimit.redis.RedisServer;
import io.tierlimit.redis.TcpProxy;
import io.tierlimit.sample.SampleApplication;
import io.tierlimit.store.redis.RedisBucketStore;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests the running shop with a real Prometheus: all expressions of the dashboard and the
 * rules have a result.
 */
@Tag("slow")
class PrometheusTests {

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	@TempDir
	private static Path directory;

	private static RedisServer redis;

	private static TcpProxy network;

	private static ConfigurableApplicationContext shop;

	private static Load load;

	private static Prometheus prometheus;

	@BeforeAll
	static void serveCustomers() throws IOException {
		redis = RedisServer.start();
		network = new TcpProxy(redis.port());
		shop = new SpringApplicationBuilder(SampleApplication.class).profiles("redis").run(arguments());
		int port = shop.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
		load = new Load(port, network);
		prometheus = Prometheus.start(directory, AlertRulesTests.RULES, port);
		// An increase requires an earlier scrape.
		awaitSeries("job_rule:tierlimit_requests:rate5m");
		load.callSlowly();
		awaitSeries("ALERTS{alertname=\"TierlimitStoreSlow\"}");
		// A surge is relative to earlier values.
		awaitSeries("count_over_time(job_rule:tierlimit_requests_rejected:rate5m{rule=\"search\"}[5m]) >= 10");
		loseAPermit();
		load.run();
	}

	/** Resets the bucket of an export in progress. The renewal then misses its entry. */
	private static void loseAPermit() {
		RedisBucketStore store = shop.getBean(RedisBucketStore.class);
		store.leave();
		CompletableFuture<Integer> export = CompletableFuture.supplyAsync(() -> load.export("fred"));
		awaitSeries("tierlimit_permits_in_use{rule=\"live-exports\"} > 0");
		store.resetAll("live-exports");
		store.join();
		awaitSeries("tierlimit_holders_lost_total{rule=\"live-exports\"} == 1");
		assertThat(export.join()).isEqualTo(200);
		awaitSeries("tierlimit_permits_in_use{rule=\"live-exports\"} == 0");
	}

	private static String[] arguments() {
		List<String> arguments = new ArrayList<>(List.of(Load.SETTINGS));
		arguments.add("--server.port=0");
		arguments.add("--spring.data.redis.port=" + network.port());
		arguments.add("--tierlimit.audit.jdbc.enabled=true");
		return arguments.toArray(String[]::new);
	}

	@AfterAll
	static void close() throws Exception {
		for (AutoCloseable closeable : new AutoCloseable[] { prometheus, shop, network, redis }) {
			if (closeable != null) {
				closeable.close();
			}
		}
	}

	@Test
	void everyMeterIsExportedAndOnTheDashboard() throws IOException {
		Set<String> dashboard = names(Dashboard.read().expressions().values().toString());
		for (RateLimitMeter meter : RateLimitMeter.values()) {
			assertThat(prometheus.query(series(meter))).as(meter.getName()).isNotEmpty();
			assertThat(dashboard).contains(series(meter));
		}
	}

	@Test
	void everyNameInBothFilesExists() throws IOException {
		Set<String> existing = StreamSupport.stream(prometheus.get("label/__name__/values").spliterator(), false)
			.map(JsonNode::asString)
			.collect(Collectors.toSet());
		String both = Dashboard.read().expressions().values() + Files.readString(AlertRulesTests.RULES);
		assertThat(existing).containsAll(names(both)).contains("job_rule:tierlimit_requests_near_limit:ratio_rate5m");
	}

	@Test
	void everyExpressionOfTheDashboardHasAnAnswer() throws IOException {
		Map<String, String> expressions = Dashboard.read().expressions();
		assertThat(expressions).hasSizeGreaterThan(25);
		expressions.forEach((name, expression) -> {
			if (Stream
				.of("tierlimit_reloads", "tierlimit_audit", "tierlimit_bans", "tierlimit_candidate",
						"tierlimit_holders_lost", "tierlimit_settled")
				.anyMatch(expression::contains)) {
				// The value is 0: the load does not reload rules or start a ban, the
				// database works, and the candidate decides like its rule. The loss of
				// permits was before the counter existed, and no request settles a cost.
				awaitSeries(expression);
			}
			else {
				assertAnswer(name, expression);
			}
		});
	}

	@Test
	void everyRuleHasAnAnswerAndEveryAlertIsRaised() {
		int alerts = 0;
		for (JsonNode group : prometheus.get("rules").get("groups")) {
			for (JsonNode rule : group.get("rules")) {
				String name = rule.get("name").asString();
				boolean alert = rule.get("type").asString().equals("alerting");
				assertThat(rule.get("health").asString()).as(rule.toString()).isEqualTo("ok");
				assertAnswer(name, alert ? "ALERTS{alertname=\"" + name + "\"}" : rule.get("query").asString());
				alerts += alert ? 1 : 0;
			}
		}
		assertThat(alerts).isEqualTo(AlertRulesTests.alerts().size()).isPositive();
	}

	private static void awaitSeries(String expression) {
		await(() -> !prometheus.query(expression).isEmpty(), () -> expression + " is empty");
	}

	private static void await(BooleanSupplier condition, Supplier<String> failure) {
		Poll.until(PATIENCE, condition, failure);
	}

	private static String series(RateLimitMeter meter) {
		String name = meter.getName().replace('.', '_');
		return switch (meter.getType()) {
			case COUNTER -> name + "_total";
			case TIMER -> name + "_seconds_count";
			case DISTRIBUTION_SUMMARY -> name + "_count";
			default -> name;
		};
	}

	private static Set<String> names(String text) {
		Set<String> names = new TreeSet<>();
		Matcher matcher = Pattern.compile("(\\w+:)?(tierlimit|http)_\\w+(:\\w+)?").matcher(text);
		while (matcher.find()) {
			names.add(matcher.group());
		}
		return names;
	}

	/**
	 * Asserts that an expression had a value above 0 at some time, or has no value if
	 * that is expected.
	 */
	private static void assertAnswer(String name, String expression) {
		await(() -> prometheus.most(expression).values().stream().anyMatch((most) -> most > 0),
				() -> name + " has no answer: " + expression + " was at most " + prometheus.most(expression));
	}

}
