package io.tierlimit.application;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

import io.micrometer.core.instrument.MeterRegistry;
import io.tierlimit.application.AuditedApplication.BlockableDatabase;
import io.tierlimit.autoconfigure.rules.ConfiguredRules;
import io.tierlimit.database.PostgreSql;
import io.tierlimit.database.TestDatabase;
import io.tierlimit.evaluation.ReloadResult.Outcome;
import io.tierlimit.evaluation.RuleReloader;
import io.tierlimit.jdbc.JdbcDatabase;
import io.tierlimit.junit.Poll;
import io.tierlimit.redis.TcpProxy;
import io.tierlimit.rule.PlanLimit;
import io.tierlimit.rule.jdbc.RuleTables;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Rules in tables, in applications that serve requests.
 */
@ExtendWith(OutputCaptureExtension.class)
@Tag("slow")
class RuleTablesApplicationTests {

	/**
	 * The checks in ten minutes at the default refresh of 60 s, if each check follows
	 * after at least 80% of that time.
	 */
	private static final int CHECKS_IN_TEN_MINUTES = 13;

	private static final String SOON = "tierlimit.jdbc.refresh=10ms";

	private static final String UNREADABLE = "The rule source 'rateLimitRuleTables' cannot be read";

	@RegisterExtension
	static final SharedApplications applications = new SharedApplications();

	@Test
	void rowsOverrideTheConfigurationWhileTheApplicationRuns() {
		String url = TestDatabase.POSTGRESQL.create();
		JdbcTemplate tables = new JdbcTemplate(new DriverManagerDataSource(url));
		RunningApplication application = start(url, SOON, "tierlimit.rules.users.rate=3/d",
				"tierlimit.rules.users.scope=user", "tierlimit.rules.users.plans.pro.rate=4/d");
		assertThat(statuses(application, "alice", 4)).containsExactly(200, 200, 200, 429);
		tables.update("INSERT INTO tierlimit_rule (rule_id, rate) VALUES ('users', '5/d')");
		awaitRate(application, "users", "5/d");
		assertThat(statuses(application, "alice", 3)).as("used permits stay used").containsExactly(200, 200, 429);
		tables.update("INSERT INTO tierlimit_plan_limit (rule_id, plan_name, rate) VALUES ('users', 'pro', '1/d')");
		Poll.until(() -> planRate(application, "users", "pro").equals("1/d"), () -> "not active");
		assertThat(statuses(application, "bob", 2)).containsExactly(200, 429);
		tables.update("UPDATE tierlimit_rule SET mode = 'shadow', properties = 'on-missing-key=skip'");
		Poll.until(() -> application.rules().get("users").isShadow(), () -> "not active");
		assertThat(statuses(application, "alice", 1)).containsExactly(200);
		assertThat(application.bean(ConfiguredRules.class).origin("users"))
			.endsWith("changed by table tierlimit_rule, row 'users', column rate");
		tables.update("INSERT INTO tierlimit_rule (rule_id, rate) VALUES ('new', '1/d')");
		awaitRate(application, "new", "1/d");
		assertThat(statuses(application, null, 2)).containsExactly(200, 429);
		tables.update("DELETE FROM tierlimit_rule");
		tables.update("DELETE FROM tierlimit_plan_limit");
		Poll.until(() -> application.rules().keySet().equals(Set.of("users"))
				&& planRate(application, "users", "pro").equals("4/d"), () -> "not active");
		assertThat(application.rules().get("users").limits().standard().rate()).hasToString("3/d");
		assertThat(statuses(application, null, 4)).containsExactly(200, 200, 200, 429);
	}

	/** The first check may find the first change without a notification. */
	@Test
	void notifiedChangesTakeEffectAtOnce() {
		String url = TestDatabase.POSTGRESQL.create();
		JdbcTemplate tables = new JdbcTemplate(new DriverManagerDataSource(url));
		RunningApplication application = start(url, "tierlimit.jdbc.refresh=1d", "tierlimit.rules.users.rate=3/d");
		String listeners = "SELECT pid FROM pg_stat_activity WHERE datname = current_database() "
				+ "AND query = 'LISTEN tierlimit'";
		Poll.until(() -> !tables.queryForList(listeners).isEmpty(), () -> "no connection listens");
		for (String rate : List.of("5/d", "7/d")) {
			tables.update("INSERT INTO tierlimit_rule (rule_id, rate) VALUES ('users', ?) "
					+ "ON CONFLICT (rule_id) DO UPDATE SET rate = excluded.rate", rate);
			awaitRate(application, "users", rate);
		}
	}

	@Test
	void applicationMayStartWithoutItsDatabase(CapturedOutput output) {
		String url = TestDatabase.POSTGRESQL.create();
		RunningApplication application;
		PostgreSql.server().stop();
		try {
			assertThatThrownBy(() -> start(url, SOON)).rootCause().hasMessageContaining(UNREADABLE);
			application = start(url, SOON, "tierlimit.reload.on-startup-failure=ignore",
					"tierlimit.rules.users.rate=1/d");
			assertThat(statuses(application, "alice", 2)).containsExactly(200, 429);
			assertThat(output).contains("The application starts without rules of rule sources.");
		}
		finally {
			PostgreSql.server().start();
		}
		Poll.until(() -> application.bean(RuleReloader.class).last().problems().isEmpty(), () -> "not read");
		new JdbcTemplate(new DriverManagerDataSource(url))
			.update("INSERT INTO tierlimit_rule (rule_id, rate) VALUES ('users', '5/d')");
		awaitRate(application, "users", "5/d");
	}

	@Test
	void brokenRowChangesNothingAndIsReported(CapturedOutput output) {
		String url = TestDatabase.POSTGRESQL.create();
		RunningApplication application = startWithBurst(url);
		String place = "table tierlimit_rule, row 'users', column burst";
		setBurst(url, "many");
		awaitReloads(application, Outcome.INVALID, 1);
		new JdbcTemplate(new DriverManagerDataSource(url))
			.update("INSERT INTO tierlimit_rule (rule_id, rate) VALUES ('other', '1/d')");
		awaitReloads(application, Outcome.INVALID, 2);
		assertThat(application.get("/actuator/health").body()).contains(place, "'many'");
		assertThat(application.get("/actuator/ratelimits").body()).contains(place, "'many'");
		assertThat(reloads(application, "invalid")).isGreaterThanOrEqualTo(2);
		assertThat(output.getAll().lines().filter((line) -> line.contains(place))).singleElement()
			.asString()
			.contains("WARN", "'many'", "The rules are not valid, so the previous ones remain active.");
		assertBurst(application, 300);
		setBurst(url, "450");
		awaitBurst(application, 450);
	}

	/** The checks that would occur in ten minutes follow each other without a pause. */
	@Test
	void databaseThatIsDownForTenMinutesChangesNothing(CapturedOutput output) {
		String url = TestDatabase.POSTGRESQL.create();
		try (TcpProxy network = new TcpProxy(port(url))) {
			RunningApplication application = startWithBurst(through(network, url));
			network.reject();
			setBurst(url, "450");
			awaitReloads(application, Outcome.UNAVAILABLE, CHECKS_IN_TEN_MINUTES);
			assertBurst(application, 300);
			assertThat(application.get("/actuator/health").body()).contains(UNREADABLE);
			assertThat(application.get("/actuator/ratelimits").body()).contains(UNREADABLE);
			assertThat(reloads(application, "unavailable")).isGreaterThanOrEqualTo(CHECKS_IN_TEN_MINUTES);
			assertThat(output.getAll().lines().filter((line) -> line.contains(UNREADABLE + ": org.postgresql.")))
				.singleElement()
				.asString()
				.contains("WARN");
			network.heal();
			awaitBurst(application, 450);
			assertThat(application.get("/actuator/health").body()).doesNotContain(UNREADABLE);
		}
	}

	/** The database delays a check, but no request. */
	@Test
	void databaseThatDoesNotReplyDelaysNoRequest() throws SQLException {
		String url = TestDatabase.POSTGRESQL.create();
		RunningApplication application = startWithBurst(url);
		PostgreSql.server().freeze();
		try {
			assertNoRequestWaits(application, 300);
		}
		finally {
			PostgreSql.server().resume();
		}
		BlockableDatabase pool = application.bean(BlockableDatabase.class);
		pool.block();
		setBurst(url, "301");
		assertNoRequestWaits(application, 300);
		pool.release();
		awaitBurst(application, 301);
		try (Connection other = DriverManager.getConnection(url); Statement statement = other.createStatement()) {
			other.setAutoCommit(false);
			statement.execute("LOCK TABLE tierlimit_plan_limit IN ACCESS EXCLUSIVE MODE");
			setBurst(url, "302");
			assertNoRequestWaits(application, 301);
		}
		awaitBurst(application, 302);
	}

	private static void assertNoRequestWaits(RunningApplication application, int burst) {
		Poll.until(RuleTablesApplicationTests::isCheckInProgress, () -> "no check is in progress");
		assertBurst(application, burst);
		Poll.until(RuleTablesApplicationTests::isCheckInProgress, () -> "the check has ended");
	}

	/** A thread reads the tables, or tries to receive notifications before it does. */
	private static boolean isCheckInProgress() {
		return Thread.getAllStackTraces()
			.values()
			.stream()
			.flatMap(Stream::of)
			.anyMatch((frame) -> frame.getClassName().equals(RuleTables.class.getName())
					|| (frame.getClassName().equals(JdbcDatabase.class.getName())
							&& frame.getMethodName().equals("listen")));
	}

	private static RunningApplication startWithBurst(String url) {
		return start(url, SOON, "test.notifications=false", "tierlimit.rules.users.rate=1/d",
				"tierlimit.rules.users.burst=300", "tierlimit.rules.users.paths=/orders/**",
				"management.endpoints.web.exposure.include=health,ratelimits",
				"management.endpoint.health.show-details=always");
	}

	private static void setBurst(String url, String burst) {
		new JdbcTemplate(new DriverManagerDataSource(url)).update("INSERT INTO tierlimit_rule (rule_id, burst) "
				+ "VALUES ('users', ?) ON CONFLICT (rule_id) DO UPDATE SET burst = excluded.burst", burst);
	}

	/** Requests have the limit, and do not use the database. */
	private static void assertBurst(RunningApplication application, int burst) {
		for (int i = 0; i < 10; i++) {
			assertThat(application.get("/orders/1").policies().get("users")).containsEntry("q", (long) burst);
		}
		assertThat(application.bean(BlockableDatabase.class).threads()).isNotEmpty()
			.noneMatch((thread) -> thread.startsWith("http-"));
	}

	private static void awaitBurst(RunningApplication application, int burst) {
		Poll.until(() -> application.get("/orders/1").policies().get("users").containsValue((long) burst),
				() -> "not active: " + application.bean(RuleReloader.class).last());
	}

	private static void awaitReloads(RunningApplication application, Outcome outcome, int count) {
		RuleReloader reloader = application.bean(RuleReloader.class);
		Poll.until(() -> reloader.counts().get(outcome) >= count, () -> reloader.counts() + ", " + reloader.last());
	}

	private static double reloads(RunningApplication application, String outcome) {
		return application.bean(MeterRegistry.class)
			.get("tierlimit.reloads")
			.tag("outcome", outcome)
			.functionCounter()
			.count();
	}

	private static int port(String url) {
		return Integer.parseInt(url.replaceFirst(".*:(\\d+)/.*", "$1"));
	}

	private static String through(TcpProxy network, String url) {
		return url.replace(":" + port(url), ":" + network.port());
	}

	private static RunningApplication start(String url, String... properties) {
		String[] tables = { "test.database=" + url, "tierlimit.jdbc.rules.enabled=true",
				"tierlimit.jdbc.initialize-schema=always" };
		return applications.startOwn(AuditedApplication.class, tables, properties);
	}

	private static List<Integer> statuses(RunningApplication application, @Nullable String user, int requests) {
		List<Integer> statuses = new ArrayList<>();
		for (int i = 0; i < requests; i++) {
			statuses
				.add(((user != null) ? application.getAs(user, "/orders/1") : application.get("/orders/1")).status());
		}
		return statuses;
	}

	private static String planRate(RunningApplication application, String id, String plan) {
		PlanLimit limit = Objects.requireNonNull(application.rules().get(id).limits().plans().get(plan));
		return String.valueOf(Objects.requireNonNull(limit.limit()).rate());
	}

	private static void awaitRate(RunningApplication application, String id, String rate) {
		Poll.until(
				() -> application.rules().containsKey(id)
						&& application.rules().get(id).limits().standard().rate().toString().equals(rate),
				() -> "not active: " + application.bean(RuleReloader.class).last());
	}

}
