package io.tierlimit.replay;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

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
					actual-cost: duration            | actual-cost needs facts of finished requests
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

	/** A request has a second, a target and facts. The digit 1 is an allowed request. */
	@ParameterizedTest(name = "{0}")
	@CsvSource(delimiter = '|', quoteCharacter = '`',
			textBlock = """
					expressions read method, path, query, address | address | rules: { a: { rate: 1/h, \
					condition: "method == 'GET' && path.startsWith('/a') && ip != null" }, \
					b: { rate: 1/h, key: param('q'), paths: /b } } | 0 /a1, 0 /a2, 0 /c, 0 /b?q=1, 0 /b?q=2, 0 /b?q=1 | 101110
					overrides end     | address | rules: { r: { rate: 1/h } }, overrides: { client: { address: 203.0.113.0/24, \
					unlimited: true, until: "1970-01-01T00:00:05Z" } } | 1 /, 2 /, 4 /, 5 /, 6 / | 11110
					clock follows the log and does not run backwards | address | rules: { r: { rate: 1/s } } \
					| 100 /, 100 /, 101 /, 50 /, 101 /, 102 / | 101001
					late requests have the time of the one before | address | rules: { r: { rate: 1/s, key: path } } \
					| 100 /a, 50 /b, 100 /b, 101 /b | 1101
					windows begin at the times of the log | address | rules: { r: { rate: 1/m, algorithm: fixed-window, \
					window.start: 0s } } | 59 /, 60 /, 61 /, 119 /, 120 / | 11001
					schedules follow the times of the log | address | rules: { r: { rate: 1/d, \
					schedule: { weekly: 00:00-00:02, zone: UTC } } } | 0 /, 119 /, 120 /, 121 /, 86400 /, 86401 / | 101110
					plans and keys are facts of the log | address, user, plan, tenant | rules: { r: { scope: [user, tenant], rate: 1/h, \
					plans: { pro: { rate: 2/h } } } } | 0 / user=ann tenant=t plan=pro, 0 / user=ann tenant=t plan=pro, \
					0 / user=ann tenant=t plan=pro, 0 / user=ann tenant=t plan=other, 0 / user=ann tenant=t plan=other | 11010
					other sources of plans have no effect | plan | plan: { jdbc.enabled: true, \
					key: "requestAttribute('plan') ?: sessionAttribute('plan') ?: claim('plan')" }, \
					rules: { r: { rate: 1/h, plans: { pro: { rate: 2/h } } } } \
					| 0 / plan=pro, 0 / plan=none, 0 / plan=pro, 0 / plan=none, 0 / plan=pro | 11100
					default plan      | plan    | plan.default: free, rules: { r: { rate: 9/h, plans: { free: { rate: 1/h } } } } \
					| 0 /, 0 / | 10
					management endpoints are exempt if they serve the request | address | rules: { r: { rate: 1/h } } \
					| 0 /actuator/health, 0 /actuator/health, 0 /, 0 /actuator/nothing status=404 | 1110
					status of a rejected request is unknown | status | rules: { r: { rate: 1/h, charge-on: 4xx } } \
					| 0 / status=200, 0 / status=429, 0 / status=429, 0 / status=404, 0 / status=200 | 11110
					adaptive rules have their full rate | address | rules: { r: { rate: 2/s, \
					adaptive: { min-rate: 1/s, max-error-rate: 1%, signal: pool } } } | 0 /, 0 /, 0 / | 110
					""")
	void verdictsFollowTheLog(String name, String facts, String configuration, String requests, String allowed)
			throws IOException {
		Path rules = Files.writeString(this.directory.resolve("rules.yml"), "tierlimit: { " + configuration + " }\n");
		try (Replay replay = Replay.of(rules, Set.of(facts.split(", ")), ReplayOptions.DEFAULT)) {
			assertThat(replay.skipped()).isEmpty();
			assertThat(Stream.of(requests.split(", "))
				.map((request) -> replay.replay(request(request.split(" "))))
				.map((verdict) -> (verdict != null && verdict.allowed()) ? "1" : "0")
				.collect(Collectors.joining())).isEqualTo(allowed);
		}
	}

	private static LoggedRequest request(String[] parts) {
		Map<String, String> facts = new HashMap<>();
		Stream.of(parts).skip(2).map((fact) -> fact.split("=")).forEach((fact) -> facts.put(fact[0], fact[1]));
		String user = facts.remove("user");
		int status = Integer.parseInt(facts.getOrDefault("status", "200"));
		facts.remove("status");
		return new LoggedRequest(Instant.ofEpochSecond(Long.parseLong(parts[0])), "GET", parts[1], "203.0.113.7", user,
				status, facts);
	}

	@Test
	void requestsInFlightAreNotReplayed() throws IOException {
		Path rules = rules("per-ip: { scope: ip, rate: 1/h }", "exports: { algorithm: concurrency, limit: 2 }",
				"compared: { rate: 1/h, candidate: { algorithm: concurrency, limit: 2 } }");
		try (Replay replay = Replay.of(rules, ADDRESS, ReplayOptions.DEFAULT)) {
			assertThat(replay.skipped()).extracting(SkippedRule::rule).containsExactly("exports", "compared");
			assertThat(replay.skipped()).allSatisfy((rule) -> assertThat(rule.reasons())
				.containsExactly("algorithm concurrency needs the durations of requests"));
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
	void adaptiveRulesAreReported() throws IOException {
		Path rules = rules("r: { rate: 2/s, adaptive: { min-rate: 1/s, max-error-rate: 1%, signal: pool } }");
		try (Replay replay = Replay.of(rules, ADDRESS, ReplayOptions.DEFAULT)) {
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
