package io.tierlimit.rule.jdbc;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TimeZone;
import java.util.concurrent.atomic.AtomicInteger;

import javax.sql.DataSource;

import io.tierlimit.database.TestDatabase;
import io.tierlimit.jdbc.JdbcDatabase;
import io.tierlimit.jdbc.ManualCommitDataSource;
import io.tierlimit.jdbc.SchemaInitialization;
import io.tierlimit.jdbc.TestJdbcDatabase;
import io.tierlimit.jdbc.UnreliableDatabase;
import io.tierlimit.store.Crowd;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

@Tag("slow")
class RuleTablesTests {

	@ParameterizedTest
	@EnumSource
	void columnsAreProperties(TestDatabase kind) throws Exception {
		DataSource dataSource = dataSource(kind);
		RuleTables tables = tables(dataSource);
		assertThat(tables.read()).isEmpty();
		JdbcTemplate template = new JdbcTemplate(dataSource);
		template.update("INSERT INTO tierlimit_rule (rule_id, enabled, mode, rate, burst, algorithm, scope, "
				+ "key_expression, paths, methods, cost, properties) VALUES ('a', FALSE, 'shadow', '5/m', '10', "
				+ "'token-bucket', 'user, ip', 'claim(''t'')', '/a, /b', 'GET', '2', ?)",
				"max-wait = 1s\n\n  condition=path == '/a'\n");
		template.update("INSERT INTO tierlimit_rule (rule_id, burst) VALUES ('b', '7')");
		template.update("INSERT INTO tierlimit_rule (rule_id) VALUES ('c')");
		template.update("INSERT INTO tierlimit_plan_limit VALUES ('b', 'pro', '1/s', '2', '3', FALSE)");
		template.update("INSERT INTO tierlimit_plan_limit (rule_id, plan_name, unlimited) VALUES ('d', 'max', TRUE)");
		assertThat(tables.read()).isEqualTo(Map.of("a",
				Map.ofEntries(Map.entry("enabled", "false"), Map.entry("mode", "shadow"), Map.entry("rate", "5/m"),
						Map.entry("burst", "10"), Map.entry("algorithm", "token-bucket"),
						Map.entry("scope", "user, ip"), Map.entry("key", "claim('t')"), Map.entry("paths", "/a, /b"),
						Map.entry("methods", "GET"), Map.entry("cost", "2"), Map.entry("max-wait", "1s"),
						Map.entry("condition", "path == '/a'")),
				"b", Map.of("burst", "7", "plans.pro.rate", "1/s", "plans.pro.burst", "2", "plans.pro.capacity", "3",
						"plans.pro.unlimited", "false"),
				"d", Map.of("plans.max.unlimited", "true")));
		assertThat(tables.placeOf("a", "key")).isEqualTo("table tierlimit_rule, row 'a', column key_expression");
		assertThat(tables.placeOf("a", "max-wait")).isEqualTo("table tierlimit_rule, row 'a', column properties");
		assertThat(tables.placeOf("d", "plans.max.unlimited"))
			.isEqualTo("table tierlimit_plan_limit, row 'd', 'max', column unlimited");
		assertThat(tables.placeOf("e", "rate")).isNull();
	}

	@ParameterizedTest
	@EnumSource
	void columnsOfOverridesAreProperties(TestDatabase kind) throws Exception {
		DataSource dataSource = dataSource(kind);
		RuleTables tables = tables(dataSource);
		tables.read();
		assertThat(tables.readOverrides()).isEmpty();
		JdbcTemplate template = new JdbcTemplate(dataSource);
		template.update("INSERT INTO tierlimit_override (override_id, rule_ids, user_name, rate, burst, capacity, "
				+ "reason) VALUES ('acme', 'a, b', 'Acme|é', '5/m', '10', '20', 'sale')");
		template.update("INSERT INTO tierlimit_override (override_id, address, exempt, blocked) "
				+ "VALUES ('office', '192.0.2.0/24', TRUE, FALSE)");
		template.update("INSERT INTO tierlimit_override (override_id, bucket_key) VALUES ('key', ?)", "a,b\nc");
		tables.read();
		assertThat(tables.readOverrides()).isEqualTo(Map.of("acme",
				Map.of("rules", "a, b", "user", "Acme|é", "rate", "5/m", "burst", "10", "capacity", "20", "reason",
						"sale"),
				"office", Map.of("address", "192.0.2.0/24", "exempt", "true", "blocked", "false"), "key",
				Map.of("key[0]", "a,b", "key[1]", "c")));
		assertThat(tables.placeOfOverride("acme")).isEqualTo("table tierlimit_override, row 'acme'");
	}

	@ParameterizedTest
	@EnumSource
	void overridesAreStoredReplacedAndRemoved(TestDatabase kind) throws Exception {
		RuleTables tables = tables(dataSource(kind));
		tables.read();
		CountingReload reload = new CountingReload(tables);
		Map<String, String> blocked = Map.of("key[0]", "a,b", "key[1]", "c", "rules", "r", "blocked", "true", "exempt",
				"false", "until", "2999-06-01T12:00:00.123456Z", "reason", "why");
		tables.setOverride("x", blocked);
		tables.reloadIfChanged(reload);
		assertThat(reload.count).isEqualTo(1);
		assertThat(tables.readOverrides()).isEqualTo(Map.of("x", blocked));
		tables.setOverride("x", Map.of("user", "u", "rules", "r", "rate", "1/s", "until", "2999-06-01T14:00:00+02:00"));
		tables.read();
		assertThat(tables.readOverrides()).isEqualTo(Map.of("x", Map.of("user", "u", "rules", "r", "rate", "1/s",
				"blocked", "false", "exempt", "false", "until", "2999-06-01T12:00:00Z")));
		tables.removeOverride("x");
		tables.read();
		assertThat(tables.readOverrides()).isEmpty();
	}

	@ParameterizedTest
	@EnumSource
	void overridesThatHaveEndedAreNotRead(TestDatabase kind) throws Exception {
		RuleTables tables = tables(dataSource(kind));
		tables.read();
		tables.setOverride("old",
				Map.of("user", "u", "exempt", "true", "until", Instant.now().minusSeconds(60).toString()));
		tables.setOverride("new",
				Map.of("user", "u", "exempt", "true", "until", Instant.now().plusSeconds(3600).toString()));
		tables.read();
		assertThat(tables.readOverrides()).containsOnlyKeys("new");
	}

	/**
	 * A part of a key with a line break would be read as two parts, or as another one.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "a\nb", "a\n", "\na", "a\r", "a\r\nb" })
	void keyWithALineBreakIsNotStored(String part) throws Exception {
		RuleTables tables = tables(dataSource(TestDatabase.H2));
		tables.read();
		assertThatThrownBy(() -> tables.setOverride("x", Map.of("key[0]", part, "blocked", "true")))
			.hasMessageContaining("must not contain a line break");
		tables.read();
		assertThat(tables.readOverrides()).isEmpty();
	}

	/** With Hibernate, a pool may have connections without auto-commit. */
	@ParameterizedTest
	@EnumSource
	void editsAreCommittedByConnectionsWithoutAutoCommit(TestDatabase kind) throws Exception {
		DataSource dataSource = dataSource(kind);
		RuleTables tables = tables(new ManualCommitDataSource(dataSource));
		tables.read();
		RuleTables other = tables(dataSource);
		tables.setOverride("x", Map.of("user", "u", "blocked", "true"));
		other.read();
		assertThat(other.readOverrides()).containsOnlyKeys("x");
		tables.removeOverride("x");
		other.read();
		assertThat(other.readOverrides()).isEmpty();
	}

	/** Usually, only one instance uses a database of H2. */
	@ParameterizedTest
	@CsvSource({ "POSTGRESQL, true", "POSTGRESQL, false", "MARIADB, true", "MARIADB, false" })
	void instancesEditOverridesAtTheSameTime(TestDatabase kind, boolean same) throws Exception {
		DataSource dataSource = dataSource(kind);
		tables(dataSource).read();
		List<RuleTables> instances = List.of(tables(dataSource), tables(dataSource), tables(dataSource),
				tables(dataSource));
		for (int round = 0; round < 10; round++) {
			String id = "round-" + round;
			Crowd.run(instances.size(), (member) -> {
				instances.get(member)
					.setOverride(same ? id : id + "-of-" + member, Map.of("user", "u" + member, "blocked", "true"));
				return 0;
			});
		}
		instances.get(0).read();
		assertThat(instances.get(0).readOverrides()).hasSize(same ? 10 : 40);
	}

	/** An operator may have added a column, for example for the number of a ticket. */
	@ParameterizedTest
	@EnumSource
	void editKeepsFurtherColumns(TestDatabase kind) throws Exception {
		DataSource dataSource = dataSource(kind);
		RuleTables tables = tables(dataSource);
		tables.read();
		JdbcTemplate template = new JdbcTemplate(dataSource);
		template.execute("ALTER TABLE tierlimit_override ADD COLUMN ticket VARCHAR(100)");
		tables.setOverride("x", Map.of("user", "u", "blocked", "true", "until", "2999-06-01T12:00:00Z"));
		template.update("UPDATE tierlimit_override SET ticket = 'T-1'");
		tables.setOverride("x", Map.of("user", "v", "exempt", "true"));
		tables.read();
		assertThat(tables.readOverrides())
			.isEqualTo(Map.of("x", Map.of("user", "v", "blocked", "false", "exempt", "true")));
		assertThat(template.queryForList("SELECT ticket FROM tierlimit_override", String.class)).containsExactly("T-1");
	}

	@ParameterizedTest
	@EnumSource
	void textOfAnEditIsStoredAsItIs(TestDatabase kind) throws Exception {
		RuleTables tables = tables(dataSource(kind));
		tables.read();
		int i = 0;
		for (String text : List.of("'; DROP TABLE tierlimit_override; --", "o'brien", "a\\", "\\'", "\"", "${a}",
				"%s ?", "\ud83d\ude00", "\u00e4", "a\u0308", "A", "a", "\u0001", "\ufeff")) {
			Map<String, String> properties = Map.of("key[0]", text, "rules", "r", "reason", text, "blocked", "true",
					"exempt", "false");
			tables.setOverride("o" + i, properties);
			tables.read();
			assertThat(tables.readOverrides()).as(text).containsEntry("o" + i, properties);
			i++;
		}
	}

	/** The override would be read as an override of another caller, or not at all. */
	@ParameterizedTest
	@EnumSource
	void textThatADatabaseChangesIsNotStored(TestDatabase kind) throws Exception {
		RuleTables tables = tables(dataSource(kind));
		tables.read();
		for (String text : List.of("a\ud83d", "\ude00a", "a\0", "\0")) {
			assertThatThrownBy(() -> tables.setOverride("x", Map.of("user", text, "blocked", "true")))
				.hasMessageContaining("user must not contain a NUL character or half of a surrogate pair");
			assertThatThrownBy(() -> tables.setOverride("x", Map.of("key[0]", text, "rules", "r", "blocked", "true")))
				.hasMessageContaining("key[0] must not contain");
		}
		tables.read();
		assertThat(tables.readOverrides()).isEmpty();
	}

	/** Including a local time that the zone of the JVM omits. */
	@ParameterizedTest
	@EnumSource
	void endIsExactInAnyZone(TestDatabase kind) throws Exception {
		TimeZone zone = TimeZone.getDefault();
		try {
			TimeZone.setDefault(TimeZone.getTimeZone("America/New_York"));
			RuleTables tables = tables(dataSource(kind));
			tables.read();
			for (String until : List.of("2030-03-10T02:30:00Z", "2030-11-03T01:30:00Z", "2030-11-03T05:30:00Z",
					"9999-12-31T23:59:59.999999Z")) {
				tables.setOverride("x", Map.of("user", "u", "blocked", "true", "until", until));
				tables.read();
				assertThat(tables.readOverrides().get("x")).containsEntry("until", until);
			}
		}
		finally {
			TimeZone.setDefault(zone);
		}
	}

	/** Even if the table has no rows. */
	@ParameterizedTest
	@EnumSource
	void missingColumnOfOverridesIsReported(TestDatabase kind) throws Exception {
		DataSource dataSource = dataSource(kind);
		RuleTables tables = tables(dataSource);
		tables.read();
		new JdbcTemplate(dataSource).execute("ALTER TABLE tierlimit_override DROP COLUMN capacity");
		assertThatThrownBy(tables::read).message()
			.startsWith("the table does not exist, or differs from the script")
			.containsIgnoringCase("capacity");
	}

	@Test
	void readOnlyDatabaseIsReadAndRejectsEdits() throws Exception {
		DataSource dataSource = dataSource(TestDatabase.POSTGRESQL);
		tables(dataSource).read();
		JdbcTemplate template = new JdbcTemplate(dataSource);
		template.update("INSERT INTO tierlimit_override (override_id, user_name, blocked) VALUES ('x', 'u', TRUE)");
		String name = template.queryForObject("SELECT current_database()", String.class);
		template.execute("ALTER DATABASE " + name + " SET default_transaction_read_only = on");
		RuleTables tables = tables(dataSource);
		tables.read();
		assertThat(tables.readOverrides()).containsOnlyKeys("x");
		assertThatThrownBy(() -> tables.removeOverride("x")).hasMessageContaining("read-only transaction");
		assertThatThrownBy(() -> tables.setOverride("x", Map.of("user", "v", "blocked", "true")))
			.hasMessageContaining("read-only transaction");
	}

	/** Such as a column with the person who made a change. */
	@Test
	void furtherColumnsAreAllowed() throws Exception {
		DataSource dataSource = dataSource(TestDatabase.H2);
		RuleTables tables = tables(dataSource);
		tables.read();
		JdbcTemplate template = new JdbcTemplate(dataSource);
		template.execute("ALTER TABLE tierlimit_rule ADD COLUMN changed_by VARCHAR(100) BEFORE rate");
		template.update("INSERT INTO tierlimit_rule (rule_id, rate, changed_by) VALUES ('a', '1/s', 'ada')");
		assertThat(tables.read()).isEqualTo(Map.of("a", Map.of("rate", "1/s")));
	}

	@ParameterizedTest
	@EnumSource
	void everyChangeOfARowReloads(TestDatabase kind) throws Exception {
		DataSource dataSource = dataSource(kind);
		JdbcTemplate template = new JdbcTemplate(dataSource);
		RuleTables tables = tables(dataSource);
		CountingReload reload = new CountingReload(tables);
		tables.read();
		for (String table : List.of("tierlimit_rule (rule_id", "tierlimit_plan_limit (plan_name, rule_id",
				"tierlimit_override (override_id")) {
			String values = table.startsWith("tierlimit_plan") ? "'pro', " : "";
			String name = table.substring(0, table.indexOf(' '));
			for (String change : List.of("INSERT INTO " + table + ") VALUES (" + values + "'a'), (" + values + "'b')",
					"UPDATE " + name + " SET rate = '1/s'", "DELETE FROM " + name)) {
				tables.reloadIfChanged(reload);
				assertThat(reload.count).as("before " + change).isZero();
				template.update(change);
				tables.reloadIfChanged(reload);
				assertThat(reload.count).as(change).isEqualTo(1);
				reload.count = 0;
			}
		}
		template.execute("CREATE TABLE other (i INT)");
		template.update("INSERT INTO other VALUES (1)");
		tables.reloadIfChanged(reload);
		assertThat(reload.count).as("another table").isZero();
	}

	@Test
	void truncatedTableOfPostgreSqlReloads() throws Exception {
		DataSource dataSource = dataSource(TestDatabase.POSTGRESQL);
		RuleTables tables = tables(dataSource);
		CountingReload reload = new CountingReload(tables);
		tables.read();
		new JdbcTemplate(dataSource).execute("TRUNCATE tierlimit_rule");
		tables.reloadIfChanged(reload);
		assertThat(reload.count).isEqualTo(1);
	}

	/** A session of an operator may have another search path. */
	@Test
	void changeFromAnotherSchemaOfPostgreSqlReloads() throws Exception {
		DataSource dataSource = dataSource(TestDatabase.POSTGRESQL);
		RuleTables tables = tables(dataSource);
		CountingReload reload = new CountingReload(tables);
		tables.read();
		new JdbcTemplate(dataSource)
			.execute("SET search_path TO pg_temp; INSERT INTO public.tierlimit_rule (rule_id) VALUES ('a')");
		tables.reloadIfChanged(reload);
		assertThat(reload.count).isEqualTo(1);
	}

	@ParameterizedTest
	@EnumSource
	void changeReloadsOnceItIsCommitted(TestDatabase kind) throws Exception {
		DataSource dataSource = dataSource(kind);
		RuleTables tables = tables(dataSource);
		CountingReload reload = new CountingReload(tables);
		tables.read();
		try (Connection connection = dataSource.getConnection()) {
			connection.setAutoCommit(false);
			connection.createStatement()
				.executeUpdate("INSERT INTO tierlimit_rule (rule_id, rate) VALUES ('a', '1/s')");
			tables.reloadIfChanged(reload);
			assertThat(tables.read()).isEmpty();
			connection.commit();
		}
		reload.count = 0;
		tables.reloadIfChanged(reload);
		assertThat(reload.count).isEqualTo(1);
		assertThat(tables.read()).containsOnlyKeys("a");
	}

	/** Otherwise a read could be a mixture of two states of the tables. */
	@Test
	void rowsOfBothTablesAreReadByOneStatement() throws Exception {
		DataSource dataSource = dataSource(TestDatabase.H2);
		tables(dataSource).read();
		AtomicInteger statements = new AtomicInteger();
		tables(new InterceptedDatabase(dataSource, statements::incrementAndGet)).read();
		assertThat(statements).hasValue(1);
	}

	@ParameterizedTest
	@EnumSource
	void changeBetweenVersionAndRowsReloads(TestDatabase kind) throws Exception {
		DataSource dataSource = dataSource(kind);
		tables(dataSource).read();
		JdbcTemplate template = new JdbcTemplate(dataSource);
		AtomicInteger statements = new AtomicInteger();
		RuleTables tables = tables(new InterceptedDatabase(dataSource, () -> {
			if (statements.incrementAndGet() == 1) {
				template.update("INSERT INTO tierlimit_rule (rule_id, rate) VALUES ('a', '1/s')");
			}
		}));
		tables.read();
		CountingReload reload = new CountingReload(tables);
		tables.reloadIfChanged(reload);
		assertThat(reload.count).isEqualTo(1);
	}

	/** The rules are then reported as not valid. */
	@Test
	void lineWithoutAValueIsReported() throws Exception {
		assertThat(withProperties("max-wait")).containsKey("max-wait (without =)");
	}

	/**
	 * Otherwise a rule for the addresses of one path would be global, and for all paths.
	 */
	@ParameterizedTest
	@EnumSource
	void emptyTextIsLikeNull(TestDatabase kind) throws Exception {
		DataSource dataSource = dataSource(kind);
		RuleTables tables = tables(dataSource);
		tables.read();
		JdbcTemplate template = new JdbcTemplate(dataSource);
		template.update(
				"INSERT INTO tierlimit_rule (rule_id, mode, rate, burst, algorithm, scope, key_expression, "
						+ "paths, methods, cost, properties) VALUES ('a', '', '6/h', '', '', '', ' ', '', '', '', ?)",
				"condition=\nmax-wait= ");
		template.update("INSERT INTO tierlimit_plan_limit VALUES ('a', 'pro', '1/s', '', ' ', NULL)");
		template.update("INSERT INTO tierlimit_override (override_id, rule_ids, user_name, address, bucket_key, rate, "
				+ "burst, capacity, reason) VALUES ('o', '', 'ada', '', '', '', ' ', '', '')");
		assertThat(tables.read()).isEqualTo(Map.of("a", Map.of("rate", "6/h", "plans.pro.rate", "1/s")));
		assertThat(tables.readOverrides()).isEqualTo(Map.of("o", Map.of("user", "ada")));
	}

	/** The rules are then reported as not valid. */
	@Test
	void propertyThatIsSetTwiceHasTwoSpellings() throws Exception {
		assertThat(withProperties("rate=2/s")).containsEntry("rate", "1/s").containsEntry("RATE", "2/s");
	}

	@Test
	void planMayHaveAnyName() throws Exception {
		DataSource dataSource = dataSource(TestDatabase.H2);
		RuleTables tables = tables(dataSource);
		tables.read();
		new JdbcTemplate(dataSource)
			.update("INSERT INTO tierlimit_plan_limit (rule_id, plan_name, rate) VALUES ('a', 'gold 1.0', '1/s')");
		assertThat(tables.read().get("a")).containsEntry("plans.[gold 1.0].rate", "1/s");
		assertThat(tables.placeOf("a", "plans.[gold 1.0].rate"))
			.isEqualTo("table tierlimit_plan_limit, row 'a', 'gold 1.0', column rate");
	}

	private static Map<String, String> withProperties(String properties) throws Exception {
		DataSource dataSource = dataSource(TestDatabase.H2);
		RuleTables tables = tables(dataSource);
		tables.read();
		new JdbcTemplate(dataSource)
			.update("INSERT INTO tierlimit_rule (rule_id, rate, properties) VALUES ('a', '1/s', ?)", properties);
		return Objects.requireNonNull(tables.read().get("a"));
	}

	@Test
	void tablesThatCannotBeReadReloadUntilTheyCan() throws Exception {
		DataSource dataSource = dataSource(TestDatabase.H2);
		UnreliableDatabase database = new UnreliableDatabase(dataSource);
		RuleTables tables = tables(database);
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

	/** Not with H2, which has a timeout for locks instead. */
	@ParameterizedTest
	@CsvSource({ "POSTGRESQL, LOCK TABLE tierlimit_rule, ROLLBACK",
			"MARIADB, LOCK TABLES tierlimit_rule WRITE, UNLOCK TABLES" })
	void lockedTableCountsAsAFailureAfterTheTimeout(TestDatabase kind, String lock, String unlock) throws Exception {
		DataSource dataSource = dataSource(kind);
		RuleTables tables = new RuleTables(
				new JdbcDatabase(dataSource, SchemaInitialization.ALWAYS, Duration.ofSeconds(1)));
		assertThat(tables.read()).isEmpty();
		try (Connection other = dataSource.getConnection(); Statement statement = other.createStatement()) {
			other.setAutoCommit(false);
			statement.execute(lock);
			assertThatThrownBy(tables::read).hasMessageContaining("took longer than tierlimit.jdbc.query-timeout");
			statement.execute(unlock);
		}
		assertThat(tables.read()).isEmpty();
	}

	private static RuleTables tables(DataSource dataSource) {
		return new RuleTables(TestJdbcDatabase.of(dataSource, SchemaInitialization.ALWAYS));
	}

	private static DataSource dataSource(TestDatabase kind) {
		return new DriverManagerDataSource(kind.create());
	}

	/**
	 * Reads the tables, as a real reload does.
	 */
	private static final class CountingReload implements Runnable {

		private final RuleTables tables;

		private int count;

		private @Nullable Exception failure;

		private CountingReload(RuleTables tables) {
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

	/**
	 * Calls a hook before each query without parameters.
	 */
	private static final class InterceptedDatabase extends DelegatingDataSource {

		private final Runnable hook;

		private InterceptedDatabase(DataSource database, Runnable hook) {
			super(database);
			this.hook = hook;
		}

		@Override
		public Connection getConnection() throws SQLException {
			Connection connection = super.getConnection();
			return (Connection) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { Connection.class },
					(proxy, method, arguments) -> {
						if (method.getName().equals("createStatement")) {
							this.hook.run();
						}
						try {
							return method.invoke(connection, arguments);
						}
						catch (InvocationTargetException ex) {
							throw ex.getCause();
						}
					});
		}

	}

}
