package io.tierlimit.application;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import io.tierlimit.RuleMode;
import io.tierlimit.autoconfigure.rules.ConfiguredRules;
import io.tierlimit.database.PostgreSql;
import io.tierlimit.database.TestDatabase;
import io.tierlimit.evaluation.OverrideEditor;
import io.tierlimit.evaluation.OverrideEditor.Edit;
import io.tierlimit.evaluation.RuleReloader;
import io.tierlimit.junit.Poll;
import io.tierlimit.rule.PlanLimit;
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

	private static final String SOON = "tierlimit.jdbc.refresh=10ms";

	private static final String NEVER = "tierlimit.jdbc.refresh=1d";

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

	/** Only the reload by the endpoint can find the change. */
	@Test
	void endpointReadsTheTables() {
		String url = TestDatabase.H2.create();
		RunningApplication application = start(url, NEVER, "test.notifications=false", "tierlimit.rules.users.rate=3/d",
				"management.endpoints.web.exposure.include=ratelimits",
				"management.endpoint.ratelimits.access=unrestricted");
		new JdbcTemplate(new DriverManagerDataSource(url))
			.update("INSERT INTO tierlimit_rule (rule_id, rate) VALUES ('users', '5/d')");
		assertThat(application.send("POST", "/actuator/ratelimits").status()).isEqualTo(200);
		assertThat(application.rules().get("users").limits().standard().rate()).hasToString("5/d");
	}

	@Test
	void applicationMayStartWithoutItsDatabase(CapturedOutput output) {
		String url = TestDatabase.POSTGRESQL.create();
		RunningApplication application;
		PostgreSql.server().stop();
		try {
			assertThatThrownBy(() -> start(url, SOON)).rootCause()
				.hasMessageContaining("The rule source 'rateLimitRuleTables' cannot be read");
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

	/** Only the edit waits for the lock. */
	@Test
	void lockedTableDelaysNeitherRequestsNorTheKillSwitch() throws Exception {
		String url = TestDatabase.POSTGRESQL.create();
		RunningApplication application = start(url, NEVER, "tierlimit.rules.all.rate=2/d");
		OverrideEditor editor = application.bean(OverrideEditor.class);
		try (Connection other = DriverManager.getConnection(url); Statement statement = other.createStatement()) {
			other.setAutoCommit(false);
			statement.execute("LOCK TABLE tierlimit_override");
			CompletableFuture<Edit> edit = CompletableFuture
				.supplyAsync(() -> editor.set("x", Map.of("user", "bob", "blocked", "true")));
			awaitWaitingStatement(url);
			assertThat(statuses(application, "alice", 3)).containsExactly(200, 200, 429);
			application.bean(RuleReloader.class).setMode(RuleMode.SHADOW);
			assertThat(statuses(application, "alice", 1)).containsExactly(200);
			assertThat(edit).isNotDone();
			statement.execute("ROLLBACK");
			assertThat(edit.get().outcome()).isEqualTo(Edit.Outcome.DONE);
		}
	}

	private static void awaitWaitingStatement(String url) {
		JdbcTemplate database = new JdbcTemplate(new DriverManagerDataSource(url));
		Poll.until(() -> !database
			.queryForList("SELECT pid FROM pg_stat_activity WHERE datname = current_database() "
					+ "AND wait_event_type = 'Lock'")
			.isEmpty(), () -> "no statement waits for a lock");
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
