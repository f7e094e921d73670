package io.tierlimit.jdbc;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

import javax.sql.DataSource;

import io.tierlimit.database.TestDatabase;
import io.tierlimit.store.Crowd;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

import org.springframework.jdbc.BadSqlGrammarException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.StatementCallback;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.entry;

@Tag("slow")
class JdbcDatabaseTests {

	private static final List<String> SCRIPTS = List.of("audit", "plans", "rules");

	@ParameterizedTest
	@CsvSource({ "H2, EMBEDDED, true", "H2, ALWAYS, true", "H2, NEVER, false", "POSTGRESQL, EMBEDDED, false",
			"POSTGRESQL, ALWAYS, true", "POSTGRESQL, NEVER, false", "MARIADB, EMBEDDED, false", "MARIADB, ALWAYS, true",
			"MARIADB, NEVER, false" })
	void settingDecidesWhetherTablesAreCreated(TestDatabase database, SchemaInitialization initialization,
			boolean created) throws SQLException {
		DataSource dataSource = new DriverManagerDataSource(database.create());
		new JdbcDatabase(dataSource, initialization).createTables("audit");
		assertThat(tables(dataSource)).isEqualTo(created ? List.of("tierlimit_rejection") : List.of());
	}

	@Test
	void timeoutIsRoundedUpToWholeSeconds() {
		JdbcDatabase database = new JdbcDatabase(new DriverManagerDataSource(TestDatabase.POSTGRESQL.create()),
				SchemaInitialization.NEVER, Duration.ofMillis(1500));
		assertThat(database.template().getQueryTimeout()).isEqualTo(2);
		assertThat(database.queryTimeout()).isEqualTo(Duration.ofSeconds(2));
	}

	@Test
	void fileOfH2IsNotEmbedded() throws SQLException {
		DataSource dataSource = JdbcProxies.withMetadata(new DriverManagerDataSource(TestDatabase.H2.create()),
				"getURL", "jdbc:h2:file:./data");
		new JdbcDatabase(dataSource, SchemaInitialization.EMBEDDED).createTables("audit");
		assertThat(tables(dataSource)).isEmpty();
	}

	@ParameterizedTest
	@EnumSource
	void existingTableIsNotChanged(TestDatabase database) {
		JdbcDatabase first = new JdbcDatabase(new DriverManagerDataSource(database.create()),
				SchemaInitialization.ALWAYS);
		first.createTables("audit");
		first.template().execute("ALTER TABLE tierlimit_rejection ADD COLUMN note INT DEFAULT 1 NOT NULL");
		first.template()
			.execute("INSERT INTO tierlimit_rejection (rejected_at, rule_id, bucket_key, cost, remaining, shadow) "
					+ "VALUES (CURRENT_TIMESTAMP, 'search', '', 1, 0, FALSE)");
		first.createTables("audit");
		assertThat(first.template().queryForObject("SELECT SUM(note) FROM tierlimit_rejection", Long.class))
			.isEqualTo(1);
		for (String script : SCRIPTS) {
			first.createTables(script);
			first.createTables(script);
		}
	}

	/** Usually, only one instance uses a database of H2. */
	@ParameterizedTest
	@EnumSource(mode = Mode.EXCLUDE, names = "H2")
	void severalInstancesCreateTablesAtTheSameTime(TestDatabase kind) throws Exception {
		DataSource dataSource = new DriverManagerDataSource(kind.create());
		for (String script : SCRIPTS) {
			Crowd.run(8, (member) -> {
				new JdbcDatabase(dataSource, SchemaInitialization.ALWAYS).createTables(script);
				return 0;
			});
		}
		assertThat(tables(dataSource)).contains("tierlimit_rejection", "tierlimit_user_plan", "tierlimit_rule");
	}

	@ParameterizedTest
	@EnumSource
	void missingTableIsReportedWithItsCause(TestDatabase kind) {
		JdbcDatabase database = new JdbcDatabase(new DriverManagerDataSource(kind.create()),
				SchemaInitialization.NEVER);
		assertThatIllegalStateException()
			.isThrownBy(() -> database.withTables("rules", () -> database.version("rules")))
			.withMessageStartingWith("the table does not exist")
			.withMessageEndingWith("Create it, or set tierlimit.jdbc.initialize-schema to always")
			.withCauseInstanceOf(BadSqlGrammarException.class)
			.satisfies((failure) -> assertThat(failure.getMessage()).containsIgnoringCase("tierlimit_version")
				.doesNotContain("\n"));
	}

	@ParameterizedTest
	@EnumSource
	void rowsAreFoundByTimeAndByRule(TestDatabase database) throws SQLException {
		DataSource dataSource = new DriverManagerDataSource(database.create());
		new JdbcDatabase(dataSource, SchemaInitialization.ALWAYS).createTables("audit");
		assertThat(indexes(dataSource)).contains(entry("tierlimit_rejection_at", List.of("rejected_at")),
				entry("tierlimit_rejection_rule", List.of("rule_id", "rejected_at")));
	}

	@Test
	void connectionOfH2HasNoTimeoutAfterwards() {
		DataSource dataSource = new SingleConnectionDataSource(TestDatabase.H2.create(), true);
		new JdbcDatabase(dataSource, SchemaInitialization.NEVER).template().queryForList("SELECT 1");
		StatementCallback<Integer> timeout = Statement::getQueryTimeout;
		assertThat(new JdbcTemplate(dataSource).execute(timeout)).isZero();
	}

	@Test
	void otherDatabaseIsNamed() {
		JdbcDatabase database = new JdbcDatabase(
				JdbcProxies.withMetadata(new DriverManagerDataSource(TestDatabase.H2.create()),
						"getDatabaseProductName", "Apache Derby"),
				SchemaInitialization.ALWAYS);
		assertThatIllegalStateException().isThrownBy(() -> database.createTables("audit"))
			.withMessageContainingAll("Apache Derby", "PostgreSQL, MySQL, MariaDB or H2");
	}

	private static List<String> tables(DataSource dataSource) throws SQLException {
		List<String> names = new ArrayList<>();
		try (Connection connection = dataSource.getConnection();
				ResultSet found = connection.getMetaData()
					.getTables(connection.getCatalog(), null, "%", new String[] { "TABLE", "BASE TABLE" })) {
			while (found.next()) {
				String name = found.getString("TABLE_NAME").toLowerCase(Locale.ROOT);
				if (name.startsWith("tierlimit")) {
					names.add(name);
				}
			}
		}
		return names;
	}

	private static Map<String, List<String>> indexes(DataSource dataSource) throws SQLException {
		Map<String, List<String>> columns = new TreeMap<>();
		try (Connection connection = dataSource.getConnection()) {
			DatabaseMetaData metadata = connection.getMetaData();
			String table = metadata.storesUpperCaseIdentifiers() ? "TIERLIMIT_REJECTION" : "tierlimit_rejection";
			try (ResultSet found = metadata.getIndexInfo(connection.getCatalog(), null, table, false, false)) {
				while (found.next()) {
					columns
						.computeIfAbsent(found.getString("INDEX_NAME").toLowerCase(Locale.ROOT),
								(name) -> new ArrayList<>())
						.add(found.getString("COLUMN_NAME").toLowerCase(Locale.ROOT));
				}
			}
		}
		return columns;
	}

}
