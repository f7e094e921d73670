package io.tierlimit.replay;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.tierlimit.RuleDecision;
import io.tierlimit.RuleOutcome;
import io.tierlimit.Verdict;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests the replay of requests under rules.
 */
class ReplayTests {

	private static final Set<String> ADDRESS = Set.of("address");

	@TempDir
	private Path directory;

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					scope: user                      | scope user: the log has no user
					scope: plan                      | scope plan: the log has no plan
					scope: endpoint                  | scope endpoint needs the mappings of the application
					scope: tenant                    | scope tenant, a bean of the application: the log has no tenant
					scope: [ip, tenant]              | scope tenant, a bean of the application: the log has no tenant
					plans: { pro: { rate: 2/s } }    | its plans need the plan of the caller: the log has no plan
					key: header('X-Key')             | key reads header('X-Key'): the log has no header.x-key
					key: claim('sub')                | key reads a claim of a token, which a log does not have
					key: requestAttribute('x')       | key reads an attribute of the request, which a log does not have
					key: sessionAttribute('x')       | key reads an attribute of the session, which a log does not have
					condition: pattern != null       | condition reads pattern needs the mappings of the application
					condition: "authorities.size() > 0" | condition reads authorities, which a log does not have
					cost: "plan == null ? 1 : 2"     | cost reads plan: the log has no plan
					charge-on: authentication-failure| charge-on or reset-on needs the result of authentications
					charge-on: 404                | charge-on or reset-on needs the status of the response: the log has no status
					applies-to: code                 | applies-to is code, and a log has no calls of code
					""")
	void rulesThatNeedWhatTheLogDoesNotHaveAreNotReplayed(String property, String reason) throws IOException {
		Path rules = rules("per-ip: { scope: ip, rate: 1/h }", "other: { rate: 1/h, " + property + " }");
		try (Replay replay = Replay.of(rules, ADDRESS, ReplayOptions.DEFAULT)) {
			assertThat(replay.rules()).containsExactly("per-ip");
			assertThat(replay.skipped()).singleElement().satisfies((rule) -> {
				assertThat(rule.rule()).isEqualTo("other");
				assertThat(rule.reasons()).contains(reason);
			});
			assertThat(replay.replay(request(0, "/"))).isNotNull().extracting(Verdict::allowed).isEqualTo(true);
			assertThat(replay.replay(request(0, "/"))).isNotNull().satisfies((verdict) -> {
				assertThat(verdict.allowed()).isFalse();
				assertThat(verdict.decisions()).hasSize(1);
			});
		}
	}

	@Test
	void requestsInFlightAreNotReplayed() throws IOException {
		Path rules = rules("per-ip: { scope: ip, rate: 1/h }", "exports: { algorithm: concurrency, limit: 2 }",
				"compared: { rate: 1/h, candidate: { algorithm: concurrency, limit: 2 } }");
		try (Replay replay = Replay.of(rules, ADDRESS, ReplayOptions.DEFAULT)) {
			assertThat(replay.rules()).containsExactly("per-ip");
			assertThat(replay.skipped()).extracting(SkippedRule::rule).containsExactly("exports", "compared");
			assertThat(replay.skipped()).allSatisfy((rule) -> assertThat(rule.reasons())
				.containsExactly("algorithm concurrency needs the durations of requests"));
		}
	}

	@Test
	void actualCostsAreNotReplayed() throws IOException {
		Path rules = rules("per-ip: { scope: ip, rate: 1/h }",
				"exports: { rate: 9/h, cost: 2, actual-cost: duration }");
		try (Replay replay = Replay.of(rules, ADDRESS, ReplayOptions.DEFAULT)) {
			assertThat(replay.rules()).containsExactly("per-ip");
			assertThat(replay.skipped()).singleElement()
				.satisfies((rule) -> assertThat(rule.reasons())
					.containsExactly("actual-cost needs facts of finished requests"));
		}
	}

	@Test
	void rulesOfThePresetForLoginsAreNotReplayed() throws IOException {
		Path rules = rules("per-ip: { scope: ip, rate: 1/h }");
		Files.writeString(rules, "  login-protection: { path: /login, per-account: 5/h, per-address: 20/h }\n",
				StandardOpenOption.APPEND);
		try (Replay replay = Replay.of(rules, ADDRESS, ReplayOptions.DEFAULT)) {
			assertThat(replay.rules()).containsExactly("per-ip");
			assertThat(replay.skipped()).extracting(SkippedRule::rule)
				.containsExactly("login-failures-per-account", "login-failures-per-address",
						"login-failures-multipart");
			assertThat(replay.skipped()).allSatisfy((rule) -> assertThat(rule.reasons())
				.contains("charge-on or reset-on needs the result of authentications"));
		}
	}

	@Test
	void expressionsOverMethodPathQueryAndAddressAreReplayed() throws IOException {
		Path rules = rules("a: { rate: 1/h, condition: \"method == 'GET' && path.startsWith('/a') && ip != null\" }",
				"b: { rate: 1/h, key: param('q'), paths: /b }");
		try (Replay replay = Replay.of(rules, ADDRESS, ReplayOptions.DEFAULT)) {
			assertThat(replay.skipped()).isEmpty();
			assertThat(allowed(replay, "/a1", "/a2", "/c", "/b?q=1", "/b?q=2", "/b?q=1")).containsExactly(true, false,
					true, true, true, false);
		}
	}

	@Test
	void overridesAreReplayed() throws IOException {
		Path rules = rules("r: { rate: 1/h }");
		Files.writeString(rules, "  overrides:\n    client: { address: 203.0.113.0/24, unlimited: true, until: "
				+ "\"1970-01-01T00:00:05Z\" }\n", StandardOpenOption.APPEND);
		try (Replay replay = Replay.of(rules, ADDRESS, ReplayOptions.DEFAULT)) {
			assertThat(List.of(1, 2, 4, 5, 6)).extracting((second) -> replay.replay(request(second, "/")))
				.extracting((verdict) -> verdict != null && verdict.allowed())
				.containsExactly(true, true, true, true, false);
		}
	}

	@Test
	void overridesWhoseCallersAreNotInTheLogAreReported() throws IOException {
		Path rules = rules("r: { rate: 1/h }", "per-user: { rate: 1/h, scope: user }");
		Files.writeString(rules, """
				  overrides:
				    ann: { user: ann, unlimited: true }
				    bob: { user: bob, rules: per-user, unlimited: true }
				    office: { address: 203.0.113.0/24, unlimited: true }
				""", StandardOpenOption.APPEND);
		try (Replay replay = Replay.of(rules, Set.of("user", "address"), ReplayOptions.DEFAULT)) {
			assertThat(replay.warnings()).isEmpty();
		}
		try (Replay replay = Replay.of(rules, ADDRESS, ReplayOptions.DEFAULT)) {
			assertThat(replay.warnings()).containsExactly("Overrides of users are not replayed because the log has no "
					+ "user: ann. Requests of their callers are replayed with the limits of the rules.");
		}
		try (Replay replay = Replay.of(rules, Set.of(), ReplayOptions.DEFAULT)) {
			assertThat(replay.warnings()).hasSize(2)
				.last()
				.asString()
				.contains("Overrides of addresses", "the log has no address: office.");
		}
	}

	@Test
	void adaptiveRulesAreReplayedAtTheirFullRate() throws IOException {
		Path rules = rules("r: { rate: 2/s, adaptive: { min-rate: 1/s, max-error-rate: 1%, signal: pool } }");
		try (Replay replay = Replay.of(rules, ADDRESS, ReplayOptions.DEFAULT)) {
			assertThat(allowed(replay, "/", "/", "/")).containsExactly(true, true, false);
			assertThat(replay.warnings()).singleElement().asString().contains("full rate: r.");
		}
	}

	@Test
	void ruleBeforeAuthenticationHasNoOverridesOfUsers() throws IOException {
		Path rules = rules("r: { rate: 1/h }", "per-user: { rate: 1/h, scope: user, paths: /b }");
		Files.writeString(rules, "  overrides.ann: { user: ann, unlimited: true }\n", StandardOpenOption.APPEND);
		Set<String> facts = Set.of("user", "address");
		try (Replay replay = Replay.of(rules, facts, ReplayOptions.DEFAULT)) {
			assertThat(allowedOf("ann", replay, "/a", "/a")).as("the server authenticates").containsExactly(true, true);
		}
		try (Replay replay = Replay.of(rules, facts, new ReplayOptions(true, List.of()))) {
			assertThat(allowedOf("ann", replay, "/a", "/a")).containsExactly(true, false);
		}
		Files.writeString(rules, "  rules.r.enabled: false\n", StandardOpenOption.APPEND);
		try (Replay replay = Replay.of(rules, facts, new ReplayOptions(true, List.of()))) {
			assertThat(allowedOf("ann", replay, "/b", "/b")).as("after authentication").containsExactly(true, true);
			assertThat(allowedOf("bob", replay, "/b", "/b")).containsExactly(true, false);
		}
	}

	@Test
	void clockFollowsTheLogAndDoesNotRunBackwards() throws IOException {
		try (Replay replay = Replay.of(rules("r: { rate: 1/s }"), ADDRESS, ReplayOptions.DEFAULT)) {
			assertThat(List.of(100, 100, 101, 50, 101, 102)).extracting((second) -> replay.replay(request(second, "/")))
				.extracting((verdict) -> verdict != null && verdict.allowed())
				.containsExactly(true, false, true, false, false, true);
		}
	}

	@Test
	void requestThatIsLateIsReplayedAtTheTimeOfTheOneBefore() throws IOException {
		try (Replay replay = Replay.of(rules("r: { rate: 1/s, key: path }"), ADDRESS, ReplayOptions.DEFAULT)) {
			replay.replay(request(100, "/a"));
			assertThat(List.of(50, 100, 101)).extracting((second) -> replay.replay(request(second, "/b")))
				.extracting((verdict) -> verdict != null && verdict.allowed())
				.containsExactly(true, false, true);
		}
	}

	@Test
	void fixedWindowsBeginAtTheTimesOfTheLog() throws IOException {
		try (Replay replay = Replay.of(rules("r: { rate: 1/m, algorithm: fixed-window, window.start: 0s }"), ADDRESS,
				ReplayOptions.DEFAULT)) {
			assertThat(List.of(59, 60, 61, 119, 120)).extracting((second) -> replay.replay(request(second, "/")))
				.extracting((verdict) -> verdict != null && verdict.allowed())
				.containsExactly(true, true, false, false, true);
		}
	}

	@Test
	void schedulesFollowTheTimesOfTheLog() throws IOException {
		Path rules = rules("r: { rate: 1/d, schedule: { weekly: 00:00-00:02, zone: UTC } }");
		try (Replay replay = Replay.of(rules, ADDRESS, ReplayOptions.DEFAULT)) {
			assertThat(List.of(0, 119, 120, 121, 86_400, 86_401))
				.extracting((second) -> replay.replay(request(second, "/")))
				.extracting((verdict) -> verdict != null && verdict.allowed())
				.containsExactly(true, false, true, true, true, false);
		}
	}

	@Test
	void plansAndKeyResolversAreFactsOfTheLog() throws IOException {
		Path rules = rules("r: { scope: [user, tenant], rate: 1/h, plans: { pro: { rate: 2/h } } }");
		Set<String> facts = Set.of("address", "user", "plan", "tenant");
		try (Replay replay = Replay.of(rules, facts, ReplayOptions.DEFAULT)) {
			assertThat(replay.skipped()).isEmpty();
			assertThat(List.of("pro", "pro", "pro", "other", "other"))
				.extracting((plan) -> replay.replay(new LoggedRequest(Instant.EPOCH, "GET", "/", "::1", "ann", 200,
						Map.of("plan", plan, "tenant", "t1"))))
				.extracting((verdict) -> verdict != null && verdict.allowed())
				.containsExactly(true, true, false, true, false);
		}
	}

	/**
	 * A log has no tokens, sessions and attributes, and the table may have changed since
	 * the log was written.
	 */
	@Test
	void otherSourcesOfPlansHaveNoEffect() throws IOException {
		Path rules = Files.writeString(this.directory.resolve("rules.yml"), """
				tierlimit:
				  plan:
				    key: "requestAttribute('plan') ?: sessionAttribute('plan') ?: claim('plan')"
				    jdbc.enabled: true
				  rules:
				    r: { rate: 1/h, plans: { pro: { rate: 2/h } } }
				""");
		try (Replay replay = Replay.of(rules, Set.of("plan"), ReplayOptions.DEFAULT)) {
			assertThat(replay.warnings()).isEmpty();
			assertThat(List.of("pro", "none", "pro", "none", "pro"))
				.extracting((plan) -> replay
					.replay(new LoggedRequest(Instant.EPOCH, "GET", "/", "::1", null, 200, Map.of("plan", plan))))
				.extracting((verdict) -> verdict != null && verdict.allowed())
				.containsExactly(true, true, true, false, false);
		}
		try (Replay replay = Replay.of(rules, ADDRESS, ReplayOptions.DEFAULT)) {
			assertThat(replay.skipped()).hasSize(1);
		}
	}

	@Test
	void defaultPlanComesFromTheConfiguration() throws IOException {
		Path rules = Files.writeString(this.directory.resolve("rules.yml"), """
				tierlimit:
				  plan.default: free
				  rules:
				    r: { rate: 9/h, plans: { free: { rate: 1/h } } }
				""");
		try (Replay replay = Replay.of(rules, Set.of("plan"), ReplayOptions.DEFAULT)) {
			assertThat(allowed(replay, "/", "/")).containsExactly(true, false);
		}
	}

	@Test
	void requestsThatDoNotReachTheApplicationHaveNoVerdict() throws IOException {
		Path rules = Files.writeString(this.directory.resolve("rules.yml"), """
				server.servlet.context-path: /app
				tierlimit.rules.r: { rate: 1/h, paths: /a }
				""");
		try (Replay replay = Replay.of(rules, ADDRESS, ReplayOptions.DEFAULT)) {
			for (String target : List.of("/", "/app", "/application/a", "/app/%zz", "/app/a%2Fb", "/app/..", "*",
					"/app/\\a", "/app/%00", "", "example.org:443", "/app/../../a")) {
				assertThat(replay.replay(request(0, target))).as(target).isNull();
			}
			assertThat(allowed(replay, "/app/b", "/app/x/..//a;v=1", "https://example.org/app/a?x"))
				.containsExactly(true, true, false);
		}
	}

	@Test
	void managementEndpointsAreExemptUnlessNoEndpointServedTheRequest() throws IOException {
		try (Replay replay = Replay.of(rules("r: { rate: 1/h }"), ADDRESS, ReplayOptions.DEFAULT)) {
			assertThat(allowed(replay, "/actuator/health", "/actuator/health", "/")).containsExactly(true, true, true);
			assertThat(replay
				.replay(new LoggedRequest(Instant.EPOCH, "GET", "/actuator/nothing", "::1", null, 404, Map.of())))
				.extracting(Verdict::allowed)
				.isEqualTo(false);
		}
	}

	@Test
	void statusOfARejectedRequestIsUnknown() throws IOException {
		try (Replay replay = Replay.of(rules("r: { rate: 1/h, charge-on: 4xx }"), Set.of("status"),
				ReplayOptions.DEFAULT)) {
			assertThat(List.of(200, 429, 429, 404, 200))
				.extracting((status) -> replay
					.replay(new LoggedRequest(Instant.EPOCH, "GET", "/", "::1", null, status, Map.of())))
				.extracting((verdict) -> verdict != null && verdict.allowed())
				.containsExactly(true, true, true, true, false);
		}
	}

	@Test
	void mostSpecificMappingDeterminesTheEndpoint() throws IOException {
		Path rules = rules("r: { rate: 1/h, scope: endpoint }");
		ReplayOptions options = new ReplayOptions(false, List.of("* /a/{id}", "GET,PUT /a/{id}", "* /a/x"));
		try (Replay replay = Replay.of(rules, ADDRESS, options)) {
			assertThat(List.of("/a/1", "/a/x", "/a/2", "/b")).extracting((path) -> replay.replay(request(0, path)))
				.extracting((verdict) -> verdict.decisions().get(0).key())
				.containsExactly("GET,PUT /a/{id}", "* /a/x", "GET,PUT /a/{id}", "unmapped");
		}
	}

	@Test
	void configurationIsReadAsByAnApplication() throws IOException {
		Path rules = Files.writeString(this.directory.resolve("rules.yml"), """
				limit: 2/h
				spring.datasource.url: jdbc:unknown
				tierlimit:
				  store: redis
				  redis.connection-factory: none
				  rules.r.rate: ${limit}
				---
				spring.config.activate.on-profile: night
				tierlimit.rules.r.rate: 1/h
				""");
		try (Replay replay = Replay.of(rules, ADDRESS, ReplayOptions.DEFAULT)) {
			assertThat(allowed(replay, "/", "/", "/")).containsExactly(true, true, false);
		}
		System.setProperty("spring.profiles.active", "night");
		try (Replay replay = Replay.of(rules, ADDRESS, ReplayOptions.DEFAULT)) {
			assertThat(allowed(replay, "/", "/")).containsExactly(true, false);
		}
		finally {
			System.clearProperty("spring.profiles.active");
		}
	}

	@Test
	void modeOfAllRulesComesFromTheConfiguration() throws IOException {
		Path rules = Files.writeString(this.directory.resolve("rules.yml"), """
				tierlimit:
				  mode: shadow
				  rules.r.rate: 1/h
				""");
		try (Replay replay = Replay.of(rules, ADDRESS, ReplayOptions.DEFAULT)) {
			assertThat(allowed(replay, "/", "/")).containsExactly(true, true);
			assertThat(replay.replay(request(0, "/"))).isNotNull()
				.satisfies((verdict) -> assertThat(verdict.decisions()).extracting(RuleDecision::outcome)
					.containsExactly(RuleOutcome.SHADOW_REJECTED));
		}
	}

	@Test
	void replayConnectsToNothing() throws IOException {
		try (ServerSocketChannel server = ServerSocketChannel.open()) {
			server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
			server.configureBlocking(false);
			int port = server.socket().getLocalPort();
			Path rules = Files.writeString(this.directory.resolve("rules.yml"), """
					spring.data.redis: { host: 127.0.0.1, port: %d }
					spring.datasource.url: "jdbc:postgresql://127.0.0.1:%d/shop"
					tierlimit:
					  store: redis
					  redis: { timeout: 100ms, on-store-failure: deny, connection-factory: limits }
					  jdbc: { rules.enabled: true, refresh: 10s, initialize-schema: always, data-source: shop }
					  audit.jdbc.enabled: true
					  reload: { watch: true, on-startup-failure: ignore }
					  rules.r: { rate: 1/h, on-store-failure: deny }
					""".formatted(port, port));
			try (Replay replay = Replay.of(rules, ADDRESS, ReplayOptions.DEFAULT)) {
				assertThat(allowed(replay, "/", "/")).containsExactly(true, false);
				assertThat(replay.warnings()).singleElement()
					.asString()
					.contains("tierlimit.jdbc.rules.enabled", "rules and overrides in tables are not replayed");
			}
			assertThat(server.accept()).as("connection").isNull();
		}
	}

	@Test
	void allProblemsOfAConfigurationAreReportedWithTheirPlaces() throws IOException {
		Path rules = rules("a: { rate: fast }", "b: { rate: 1/s, burts: 2 }");
		assertThatIllegalArgumentException().isThrownBy(() -> Replay.of(rules, ADDRESS, ReplayOptions.DEFAULT))
			.withMessageContainingAll("rules.yml", "Rule 'a'", "'fast'", "burts", "line 3", "line 4");
	}

	@Test
	void otherFilesAreReported() throws IOException {
		Path disabled = Files.writeString(this.directory.resolve("off.yml"), "tierlimit.enabled: false");
		Path broken = Files.writeString(this.directory.resolve("broken.yml"), "a: [");
		Path missing = this.directory.resolve("missing.yml");
		Path comma = Files.writeString(this.directory.resolve("a,b.yml"), "");
		assertThatIllegalArgumentException().isThrownBy(() -> Replay.of(disabled, ADDRESS, ReplayOptions.DEFAULT))
			.withMessageContaining("tierlimit.enabled is false");
		assertThatIllegalArgumentException().isThrownBy(() -> Replay.of(broken, ADDRESS, ReplayOptions.DEFAULT))
			.withMessageContaining("broken.yml");
		assertThatIllegalArgumentException().isThrownBy(() -> Replay.of(missing, ADDRESS, ReplayOptions.DEFAULT))
			.withMessageContaining("missing.yml: the file cannot be read");
		assertThatIllegalArgumentException().isThrownBy(() -> Replay.of(comma, ADDRESS, ReplayOptions.DEFAULT))
			.withMessageContaining("must not contain commas");
	}

	private Path rules(String... rules) throws IOException {
		return Files.writeString(this.directory.resolve("rules.yml"),
				"tierlimit:\n  rules:\n    " + String.join("\n    ", rules) + "\n");
	}

	private static List<Boolean> allowed(Replay replay, String... targets) {
		return List.of(targets)
			.stream()
			.map((target) -> replay.replay(request(0, target)))
			.map(Verdict::allowed)
			.toList();
	}

	private static List<Boolean> allowedOf(String user, Replay replay, String... targets) {
		return List.of(targets)
			.stream()
			.map((target) -> replay
				.replay(new LoggedRequest(Instant.EPOCH, "GET", target, "203.0.113.7", user, 200, Map.of())))
			.map(Verdict::allowed)
			.toList();
	}

	private static LoggedRequest request(int second, String target) {
		return new LoggedRequest(Instant.ofEpochSecond(second), "GET", target, "203.0.113.7", null, 200, Map.of());
	}

}
