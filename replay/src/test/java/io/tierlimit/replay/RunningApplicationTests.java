package io.tierlimit.replay;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.tierlimit.RuleDecision;
import io.tierlimit.Verdict;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Sends random requests to a running application, whose server logs them. The log is
 * replayed: each verdict must be equal to the verdict of the application.
 */
@Tag("slow")
class RunningApplicationTests {

	private static final int REQUESTS = 1200;

	private static final DateTimeFormatter COMMON_TIME = DateTimeFormatter
		.ofPattern("dd/MMM/yyyy:HH:mm:ss Z", Locale.ENGLISH)
		.withZone(ZoneOffset.ofHours(-5));

	private static final Pattern MEMBER = Pattern.compile("\"([^\"]+)\";");

	private static final List<String> ENDPOINTS = List.of("* /api/orders/{id}", "GET /api/search", "GET /files/{*name}",
			"GET /status/{code}", "GET /api/members");

	private static final Map<String, Map<String, String>> PLANS = Map.of("bob", Map.of("X-Plan", "pro"), "cleo",
			Map.of("X-Plan", "unlimited"));

	private final Random random = new Random(20261123);

	private final HttpClient client = HttpClient.newHttpClient();

	/** The bodies of the responses, in the order of the requests. */
	private final List<String> bodies = new ArrayList<>();

	@TempDir
	private Path directory;

	@Test
	void verdictsOnACombinedLogEqualTheApplication() throws Exception {
		String pattern = "%{X-Forwarded-For}i - - [%{X-Time}i] \"%r\" %s %b \"%{Referer}i\" \"%{User-Agent}i\"";
		List<String> paths = List.of("/api/orders/1", "/api/orders/2", "/api/orders/free", "/api/search?q=a",
				"/api/search?q=b%20c", "/api/search", "/files/a.txt", "/files/b/c", "/status/404", "/status/204",
				"/nowhere", "/actuator/health", "//api//orders/1", "/api/orders/1;v=2", "/api/orders/%31",
				"/api/./orders/2", "/api/x/../orders/2", "/api/orders/1/", "/api/orders%2f1", "/api/%6frders/1;a/",
				"/");
		Map<String, Integer> outcomes;
		try (RunningApplication application = RunningApplication.start(this.directory, "running-rules.yml", pattern,
				false)) {
			for (int i = 0; i < REQUESTS; i++) {
				application.clock().advance(Duration.ofSeconds((this.random.nextInt(4) == 0) ? pick(1, 1, 2, 5) : 0));
				String address = pick("198.51.100.1", "198.51.100.2", "2001:db8:0:1::5", "2001:db8:0:1::6");
				send(application, pick("GET", "GET", "PUT", "HEAD"), paths.get(this.random.nextInt(paths.size())),
						Map.of("X-Forwarded-For", address, RunningApplication.TIME,
								COMMON_TIME.format(application.clock().instant())));
			}
			outcomes = compare(application.log(), LogFields.DEFAULT, "running-rules.yml",
					new ReplayOptions(false, ENDPOINTS));
		}
		assertThat(outcomes.keySet()).contains("allowed", "rejected", "400 by the server", "per-ip", "orders",
				"search-window", "search-log", "by-query", "misses", "shadow", "guarded", "banned");
	}

	@Test
	void verdictsOnAJsonLogEqualTheApplicationWithSpringSecurity() throws Exception {
		String pattern = "{'time':'%{X-Time}i','address':'%{X-Forwarded-For}i','user':'%{X-Login}i','plan':'%{X-Plan}i',"
				+ "'http':{'request':'%r'},'status':%s,'tenant':'%{X-Tenant}i','key':'%{X-Api-Key}i',"
				+ "'violated':'%{RateLimit}o','retry':'%{Retry-After}o'}";
		List<String> paths = List.of("/api/orders/1", "/api/search", "/api/search?q=1", "/api/members", "/admin",
				"/status/200", "/nowhere");
		Map<String, Integer> outcomes;
		try (RunningApplication application = RunningApplication.start(this.directory, "secured-rules.yml",
				pattern.replace('\'', '"'), true)) {
			for (int i = 0; i < REQUESTS; i++) {
				application.clock().advance(Duration.ofNanos(1000L * this.random.nextInt(300_000)));
				Map<String, String> headers = new TreeMap<>(
						Map.of("X-Forwarded-For", pick("198.51.100.1", "198.51.100.2", "198.51.100.3"),
								RunningApplication.TIME, application.clock().instant().toString()));
				String credentials = pick("", "ann:ann", "bob:bob", "bob:bob", "cleo:cleo", "dan:dan", "bob:wrong");
				String user = credentials.endsWith("wrong") ? "" : credentials.replaceFirst(":.*", "");
				if (!user.isEmpty()) {
					headers.put("X-Login", user);
					headers.putAll(PLANS.getOrDefault(user, Map.of()));
				}
				if (!credentials.isEmpty()) {
					headers.put("Authorization", "Basic "
							+ Base64.getEncoder().encodeToString(credentials.getBytes(StandardCharsets.UTF_8)));
				}
				String key = pick("", "k1", "k2");
				if (!key.isEmpty()) {
					headers.put("X-Api-Key", key);
					headers.put("X-Tenant", "tenant-of-" + key);
				}
				send(application, "GET", paths.get(this.random.nextInt(paths.size())), headers);
			}
			LogFields fields = new LogFields(Map.of("request", "http.request", "header.X-Api-Key", "key", "tenant",
					"tenant", "violated", "violated", "retry", "retry"));
			outcomes = compare(application.log(), fields, "secured-rules.yml", new ReplayOptions(true, List.of()));
		}
		assertThat(outcomes.keySet()).contains("allowed", "rejected", "denied", "flood", "per-user", "per-plan",
				"per-key", "tenants", "members-only", "guarded", "banned");
	}

	private void send(RunningApplication application, String method, String path, Map<String, String> headers)
			throws IOException, InterruptedException {
		HttpRequest.Builder request = HttpRequest
			.newBuilder(URI.create("http://localhost:" + application.port() + path))
			.method(method, BodyPublishers.noBody());
		headers.forEach(request::header);
		this.bodies.add(this.client.send(request.build(), BodyHandlers.ofString()).body());
		application.awaitCompletion();
	}

	/** Compares each logged response with the verdict of the replay. */
	private Map<String, Integer> compare(Path log, LogFields fields, String rules, ReplayOptions options)
			throws IOException {
		Map<String, Integer> outcomes = new TreeMap<>();
		int compared = 0;
		try (AccessLog requests = AccessLog.open(List.of(log), fields);
				Replay replay = Replay.of(Path.of("src/test/resources", rules), requests.facts(), options)) {
			assertThat(replay.skipped()).isEmpty();
			for (LoggedRequest request = requests.next(); request != null; request = requests.next()) {
				Verdict verdict = replay.replay(request);
				compared++;
				assertThat(outcome(verdict)).as("verdict on request %d: %s", compared, request)
					.isEqualTo(outcome(request));
				if (!request.method().equals("HEAD")) {
					assertThat(verdict != null && verdict.banned()).as("ban of request %d: %s", compared, request)
						.isEqualTo(this.bodies.get(compared - 1).contains("#abnormal-usage-detected"));
				}
				String retry = request.facts().get("retry");
				if (retry != null && verdict != null && !verdict.violated().isEmpty()) {
					assertThat(retryAfter(verdict)).as("Retry-After of request %d: %s", compared, request)
						.isEqualTo(retry);
				}
				String violated = request.facts().get("violated");
				if (violated != null && verdict != null && !verdict.violated().isEmpty()) {
					Set<String> logged = MEMBER.matcher(violated)
						.results()
						.map((m) -> m.group(1))
						.collect(Collectors.toSet());
					assertThat(verdict.violated()).extracting(RuleDecision::rule)
						.as("violated rules of request %d: %s", compared, request)
						.containsExactlyInAnyOrderElementsOf(logged);
				}
				outcomes.merge(outcome(verdict), 1, Integer::sum);
				outcomes.merge((verdict != null && verdict.banned()) ? "banned" : "not banned", 1, Integer::sum);
				if (verdict != null) {
					verdict.decisions()
						.stream()
						.filter((decision) -> !decision.decision().allowed())
						.forEach((decision) -> outcomes.merge(decision.rule(), 1, Integer::sum));
				}
			}
		}
		assertThat(compared).isEqualTo(REQUESTS);
		return outcomes;
	}

	/** The longest wait of all rules in whole seconds, rounded up. */
	private static String retryAfter(Verdict verdict) {
		long ticks = verdict.violated()
			.stream()
			.mapToLong((decision) -> decision.decision().retryAfterTicks())
			.max()
			.orElseThrow();
		return String.valueOf(Math.max(1, -Math.floorDiv(-ticks, 1_000_000L)));
	}

	private static String outcome(@Nullable Verdict verdict) {
		if (verdict == null) {
			return "400 by the server";
		}
		return switch (verdict.outcome()) {
			case ALLOWED -> "allowed";
			case REJECTED -> "rejected";
			case DENIED -> "denied";
			default -> verdict.toString();
		};
	}

	/** The outcome in the application. Only anonymous members are denied with 403. */
	private static String outcome(LoggedRequest request) {
		return switch (Objects.requireNonNull(request.status())) {
			case 429 -> "rejected";
			case 400 -> "400 by the server";
			case 403 -> request.target().equals("/api/members") ? "denied" : "allowed";
			default -> "allowed";
		};
	}

	@SafeVarargs
	private <T> T pick(T... values) {
		return values[this.random.nextInt(values.length)];
	}

}
