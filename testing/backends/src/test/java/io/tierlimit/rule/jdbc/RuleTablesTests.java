package io.tierlimit.rule.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;

import javax.sql.DataSource;

import io.tierlimit.database.TestDatabase;
import io.tierlimit.jdbc.JdbcDatabase;
import io.tierlimit.jdbc.JdbcProxies;
import io.tierlimit.jdbc.SchemaInitialization;
import io.tierlimit.jdbc.UnreliableDatabase;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

@Tag("slow")
class RuleTablesTests {

	@ParameterizedTest
	@EnumSource
	void columnsAreProperties(TestDatabase kind) throws Exception {
		DataSource dataSource = RuleDatabase.dataSource(kind);
		RuleTables tables = RuleDatabase.tables(dataSource);
		assertThat(tables.read()).isEmpty();
		JdbcTemplate template = new JdbcTemplate(dataSource);
		template.update("INSERT INTO tierlimit_rule (rule_id, enabled, mode, rate, burst, algorithm, scope, "
				+ "key_expression, paths, methods, cost, properties) VALUES ('a', FALSE, 'shadow', '5/m', '10', "
				+ "'token-bucket', 'user, ip', 'claim(''t'')', '/a, /b', 'GET', '2', ?)",
				"max-wait = 1s\n\n  condition=path == '/a'\n");
		template.update("INSERT INTO tierlimit_rule (rule_id, burst) VALUES ('b', '7')");
		template.update("INSERT INTO tierlimit_rule (rule_id) VALUES ('c')");
		template.update("INSERT INTO tierlimit_plan_limit VALUES ('b', 'pro', '1/s', '2', NULL, FALSE)");
		template.update("INSERT INTO tierlimit_plan_limit (rule_id, plan_name, unlimited) VALUES ('d', 'max', TRUE)");
		template.update("INSERT INTO tierlimit_rule (rule_id, algorithm, max_in_use, properties) "
				+ "VALUES ('e', 'concurrency', '2', 'max-duration=10m')");
		template.update("INSERT INTO tierlimit_plan_limit (rule_id, plan_name, max_in_use) VALUES ('e', 'pro', '5')");
		assertThat(tables.read()).isEqualTo(Map.of("a",
				Map.ofEntries(Map.entry("enabled", "false"), Map.entry("mode", "shadow"), Map.entry("rate", "5/m"),
						Map.entry("burst", "10"), Map.entry("algorithm", "token-bucket"),
						Map.entry("scope", "user, ip"), Map.entry("key", "claim('t')"), Map.entry("paths", "/a, /b"),
						Map.entry("methods", "GET"), Map.entry("cost", "2"), Map.entry("max-wait", "1s"),
						Map.entry("condition", "path == '/a'")),
				"b",
				Map.of("burst", "7", "plans.pro.rate", "1/s", "plans.pro.burst", "2", "plans.pro.unlimited", "false"),
				"d", Map.of("plans.max.unlimited", "true"), "e",
				Map.of("algorithm", "concurrency", "limit", "2", "max-duration", "10m", "plans.pro.limit", "5")));
		assertThat(tables.placeOf("a", "key")).isEqualTo("table tierlimit_rule, row 'a', column key_expression");
		assertThat(tables.placeOf("a", "max-wait")).isEqualTo("table tierlimit_rule, row 'a', column properties");
		assertThat(tables.placeOf("d", "plans.max.unlimited"))
			.isEqualTo("table tierlimit_plan_limit, row 'd', 'max', column unlimited");
		assertThat(tables.placeOf("e", "limit")).isEqualTo("table tierlimit_rule, row 'e', column max_in_use");
		assertThat(tables.placeOf("e", "plans.pro.limit"))
			.isEqualTo("table tierlimit_plan_limit, row 'e', 'pro', column max_in_use");
		assertThat(tables.placeOf("e", "rate")).isNull();
	}

	/** For example, a column may contain the person who made a change. */
	@Test
	void furtherColumnsAndAnyNamesOfPlansAreAllowed() throws Exception {
		RuleDatabase database = RuleDatabase.create(TestDatabase.H2);
		database.template().execute("ALTER TABLE tierlimit_rule ADD COLUMN changed_by VARCHAR(100) BEFORE rate");
		database.template().update("INSERT INTO tierlimit_rule (rule_id, rate, changed_by) VALUES ('a', '1/s', 'ada')");
		database.template()
			.update("INSERT INTO tierlimit_plan_limit (rule_id, plan_name, rate) VALUES ('a', 'gold 1.0', '1/s')");
		assertThat(database.tables().read())
			.isEqualTo(Map.of("a", Map.of("rate", "1/s", "plans.[gold 1.0].rate", "1/s")));
		assertThat(database.tables().placeOf("a", "plans.[gold 1.0].rate"))
			.isEqualTo("table tierlimit_plan_limit, row 'a', 'gold 1.0', column rate");
	}

	@ParameterizedTest
	@EnumSource
	void everyChangeOfARowReloads(TestDatabase kind) throws Exception {
		RuleDatabase database = RuleDatabase.create(kind);
		CountingReload reload = new CountingReload(database.tables());
		for (String table : List.of("tierlimit_rule (rule_id", "tierlimit_plan_limit (plan_name, rule_id",
				"tierlimit_override (override_id")) {
			String values = table.startsWith("tierlimit_plan") ? "'pro', " : "";
			String name = table.substring(0, table.indexOf(' '));
			for (String change : List.of("INSERT INTO " + table + ") VALUES (" + values + "'a'), (" + values + "'b')",
					"UPDATE " + name + " SET rate = '1/s'", "DELETE FROM " + name)) {
				database.tables().reloadIfChanged(reload);
				assertThat(reload.count).as("before " + change).isZero();
				database.template().update(change);
				database.tables().reloadIfChanged(reload);
				assertThat(reload.count).as(change).isEqualTo(1);
				reload.count = 0;
			}
		}
		database.template().execute("CREATE TABLE other (i INT)");
		database.template().update("INSERT INTO other VALUES (1)");
		database.tables().reloadIfChanged(reload);
		assertThat(reload.count).as("another table").isZero();
	}

	/** A session of an operator may have another search path. */
	@ParameterizedTest
	@ValueSource(strings = { "TRUNCATE tierlimit_rule",
			"SET search_path TO pg_temp; INSERT INTO public.tierlimit_rule (rule_id) VALUES ('a')" })
	void everyChangeOfPostgreSqlReloads(String change) throws Exception {
		RuleDatabase database = RuleDatabase.create(TestDatabase.POSTGRESQL);
		CountingReload reload = new CountingReload(database.tables());
		database.template().execute(change);
		database.tables().reloadIfChanged(reload);
		assertThat(reload.count).isEqualTo(1);
	}

	@ParameterizedTest
	@EnumSource
	void changeReloadsOnceItIsCommitted(TestDatabase kind) throws Exception {
		RuleDatabase database = RuleDatabase.create(kind);
		CountingReload reload = new CountingReload(database.tables());
		try (Connection connection = database.dataSource().getConnection()) {
			connection.setAutoCommit(false);
			connection.createStatement()
				.executeUpdate("INSERT INTO tierlimit_rule (rule_id, rate) VALUES ('a', '1/s')");
			database.tables().reloadIfChanged(reload);
			assertThat(database.tables().read()).isEmpty();
			connection.commit();
		}
		reload.count = 0;
		database.tables().reloadIfChanged(reload);
		assertThat(reload.count).isEqualTo(1);
		assertThat(database.tables().read()).containsOnlyKeys("a");
	}

	/** Otherwise a read could be a mixture of two states of the tables. */
	@Test
	void rowsOfBothTablesAreReadByOneStatement() throws Exception {
		DataSource dataSource = RuleDatabase.dataSource(TestDatabase.H2);
		RuleDatabase.tables(dataSource).read();
		AtomicInteger statements = new AtomicInteger();
		RuleDatabase.tables(JdbcProxies.intercepted(dataSource, (method) -> {
			if (method.equals("createStatement")) {
				statements.incrementAndGet();
			}
			return null;
		})).read();
		assertThat(statements).hasValue(1);
	}

	@ParameterizedTest
	@EnumSource
	void changeBetweenVersionAndRowsReloads(TestDatabase kind) throws Exception {
		DataSource dataSource = RuleDatabase.dataSource(kind);
		RuleDatabase.tables(dataSource).read();
		JdbcTemplate template = new JdbcTemplate(dataSource);
		AtomicInteger statements = new AtomicInteger();
		RuleTables tables = RuleDatabase.tables(JdbcProxies.intercepted(dataSource, (method) -> {
			if (method.equals("createStatement") && statements.incrementAndGet() == 1) {
				template.update("INSERT INTO tierlimit_rule (rule_id, rate) VALUES ('a', '1/s')");
			}
			return null;
		}));
		tables.read();
		CountingReload reload = new CountingReload(tables);
		tables.reloadIfChanged(reload);
		assertThat(reload.count).isEqualTo(1);
	}

	/** The rules are reported as not valid. */
	@Test
	void propertiesWithoutAValueOrWithTwoAreKept() throws Exception {
		assertThat(withProperties("max-wait")).containsKey("max-wait (without =)");
		assertThat(withProperties("rate=2/s")).containsEntry("rate", "1/s").containsEntry("RATE", "2/s");
	}

	/**
	 * Otherwise a rule for the addresses of one path would be global, and for all paths.
	 */
	@ParameterizedTest
	@EnumSource
	void emptyTextIsLikeNull(TestDatabase kind) throws Exception {
		RuleDatabase database = RuleDatabase.create(kind);
		database.template()
			.update("INSERT INTO tierlimit_rule (rule_id, mode, rate, burst, algorithm, scope, key_expression, "
					+ "paths, methods, cost, properties) VALUES ('a', '', '6/h', '', '', '', ' ', '', '', '', ?)",
					"condition=\nmax-wait= ");
		database.template().update("INSERT INTO tierlimit_plan_limit VALUES ('a', 'pro', '1/s', ' ', ' ', NULL)");
		database.template()
			.update("INSERT INTO tierlimit_override (override_id, rule_ids, user_name, address, bucket_key, rate, "
					+ "burst, reason) VALUES ('o', '', 'ada', '', '', '', ' ', '')");
		assertThat(database.tables().read()).isEqualTo(Map.of("a", Map.of("rate", "6/h", "plans.pro.rate", "1/s")));
		assertThat(database.tables().readOverrides()).isEqualTo(Map.of("o", Map.of("user", "ada")));
	}

	private static Map<String, String> withProperties(String properties) throws Exception {
		RuleDatabase database = RuleDatabase.create(TestDatabase.H2);
		database.template()
			.update("INSERT INTO tierlimit_rule (rule_id, rate, properties) VALUES ('a', '1/s', ?)", properties);
		return Objects.requireNonNull(database.tables().read().get("a"));
	}

	@Test
	void tablesThatCannotBeReadReloadUntilTheyCan() throws Exception {
		DataSource dataSource = RuleDatabase.dataSource(TestDatabase.H2);
		UnreliableDatabase database = new UnreliableDatabase(dataSource);
		RuleTables tables = RuleDatabase.tables(database);
		CountingReload reload = new CountingReload(tables);
		tables.read();
		database.setDown(true);
		for (int i = 0; i < 3; i++) {
			tables.reloadIfChanged(reload);
			assertThat(reload.count).as("the reload reports it").isEqualTo(i + 1);
			assertThat(reload.failure).as("the cause").hasToString("java.sql.SQLException: down");
		}
		database.setDown(false);
		tables.reloadIfChanged(reload);
		assertThat(reload.count).as("the reload reports the end").isEqualTo(4);
		assertThat(reload.failure).isNull();
		tables.reloadIfChanged(reload);
		assertThat(reload.count).isEqualTo(4);
	}

	/** H2 is not tested, because it has a timeout for locks instead. */
	@ParameterizedTest
	@CsvSource({ "POSTGRESQL, LOCK TABLE tierlimit_rule, ROLLBACK",
			"MARIADB, LOCK TABLES tierlimit_rule WRITE, UNLOCK TABLES" })
	void lockedTableIsAFailureAfterTheTimeout(TestDatabase kind, String lock, String unlock) throws Exception {
		DataSource dataSource = RuleDatabase.dataSource(kind);
		RuleTables tables = new RuleTables(
				new JdbcDatabase(dataSource, SchemaInitialization.ALWAYS, Duration.ofSeconds(1)));
		assertThat(tables.read()).isEmpty();
		try (Connection other = dataSource.getConnection(); Statement statement = other.createStatement()) {
			other.setAutoCommit(false);
			statement.execute(lock);
			assertThatThrownBy(tables::read).hasMessageContaining("took longer than 1 s and was canceled");
			statement.execute(unlock);
		}
		assertThat(tables.read()).isEmpty();
	}

	/**
	 * A reload that reads the tables, as a real reload does.
	 */
	static final class CountingReload implements Runnable {

		private final RuleTables tables;

		int count;

		private @Nullable Exception failure;

		CountingReload(RuleTables tables) {
			this.tables = tables;
		}

		@Override
		public void run() {
			this.count++;
			this.failure = null;
			try {
				this.tables.read();
			}
			catch (Exception ex) {
				this.failure = ex;
			}
		}

	}

}
