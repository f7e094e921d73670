package io.tierlimit.plan.jdbc;

import java.util.List;
import java.util.Map;
import java.util.Set;

import javax.sql.DataSource;

import io.tierlimit.database.TestDatabase;
import io.tierlimit.jdbc.JdbcDatabase;
import io.tierlimit.jdbc.JdbcProxies;
import io.tierlimit.jdbc.SchemaInitialization;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@Tag("slow")
class PlanTableTests {

	/** Names that all three databases accept. */
	private static final List<String> ODD_NAMES = List.of("a'b", "a\"b", "a\\b", "%", "_", "?", "", " ", "a ", " a",
			"\uD83D\uDE42", "\u00C4rger", "e\u0301", "auth0|5f7c8ec7c33c6c004bbafe82", "a".repeat(255));

	@ParameterizedTest
	@EnumSource
	void onlyTheUsersThatAreAskedForAreReadWithTheCaseAndAccentsOfTheirNames(TestDatabase kind) {
		DataSource dataSource = dataSource(kind);
		PlanTable table = table(dataSource);
		assertThat(table.read(Set.of("alice"))).as("the table is created").isEmpty();
		insert(dataSource, "alice", "pro");
		insert(dataSource, "Alice", "free");
		insert(dataSource, "\u00E4lice", "team");
		insert(dataSource, "bob", "free");
		assertThat(table.read(List.of("alice", "Alice", "ALICE", "\u00E4lice", "dave")))
			.isEqualTo(Map.of("alice", "pro", "Alice", "free", "\u00E4lice", "team"));
	}

	@ParameterizedTest
	@EnumSource
	void oddNamesBelongToTheirUsers(TestDatabase kind) {
		DataSource dataSource = dataSource(kind);
		PlanTable table = table(dataSource);
		table.read(ODD_NAMES);
		for (String name : ODD_NAMES) {
			if (!name.isBlank() && name.equals(name.strip())) {
				insert(dataSource, name, "plan of " + name.length());
			}
		}
		Map<String, String> plans = table.read(ODD_NAMES);
		for (String name : ODD_NAMES) {
			boolean stored = !name.isBlank() && name.equals(name.strip());
			assertThat(plans.get(name)).as(name).isEqualTo(stored ? "plan of " + name.length() : null);
		}
	}

	/**
	 * A client may choose its name, so no name may cause look-ups of other users to fail.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "\u6771\u4EAC", "a\0b", "\uD83D" })
	void nameThatTheDatabaseRejectsHasNoPlan(String odd) {
		DataSource dataSource = latin1();
		PlanTable table = table(dataSource);
		table.read(Set.of("alice"));
		insert(dataSource, "alice", "pro");
		insert(dataSource, "bob", "free");
		assertThat(table.read(List.of("alice", "carol", odd, odd + odd, "bob")))
			.isEqualTo(Map.of("alice", "pro", "bob", "free"));
		assertThat(table.read(List.of(odd))).isEmpty();
	}

	@Test
	void failureThatNoNameCausesIsReported() {
		DataSource dataSource = latin1();
		table(dataSource).read(Set.of("alice"));
		JdbcTemplate database = new JdbcTemplate(dataSource);
		database.execute("DROP TABLE tierlimit_user_plan");
		database.execute("CREATE VIEW tierlimit_user_plan AS SELECT CAST(1 / (LENGTH(CURRENT_USER) "
				+ "- LENGTH(CURRENT_USER)) AS TEXT) AS user_name, '' AS plan_name");
		assertThatExceptionOfType(DataAccessException.class)
			.isThrownBy(() -> table(dataSource).read(List.of("alice", "bob")));
	}

	/** PostgreSQL rejects characters that the encoding of the database does not have. */
	private static DataSource latin1() {
		String url = TestDatabase.POSTGRESQL.create();
		String name = url.replaceAll(".*/(\\w+)\\?.*", "$1");
		new JdbcTemplate(new DriverManagerDataSource(url))
			.execute("CREATE DATABASE " + name + "_latin1 ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0");
		return new DriverManagerDataSource(url.replace("/" + name + "?", "/" + name + "_latin1?"));
	}

	/** Otherwise one such user would prevent the reading of all others. */
	@ParameterizedTest
	@EnumSource
	void namesThatADatabaseMayRejectAreNotRead(TestDatabase kind) {
		DataSource dataSource = dataSource(kind);
		PlanTable table = table(dataSource);
		assertThat(table.read(List.of("\u0000"))).isEmpty();
		insert(dataSource, "alice", "pro");
		assertThat(table.read(List.of("\u0000", "a\u0000b", "\uD83D", "\uDE42a", "a\nb", "\uFFFF", "a".repeat(256),
				"b".repeat(100_000), "alice")))
			.isEqualTo(Map.of("alice", "pro"));
	}

	/** The table may be a view, for example on the application's table of customers. */
	@ParameterizedTest
	@EnumSource
	void viewMayTakeThePlaceOfTheTable(TestDatabase kind) {
		DataSource dataSource = dataSource(kind);
		JdbcTemplate template = new JdbcTemplate(dataSource);
		template.execute("CREATE TABLE customers (login VARCHAR(50), tariff VARCHAR(50))");
		template.execute("INSERT INTO customers VALUES ('alice', 'pro'), ('bob', 'pro'), ('bob', 'free'), "
				+ "('bob', NULL), ('carol', NULL)");
		template.execute(
				"CREATE VIEW tierlimit_user_plan AS SELECT login AS user_name, tariff AS plan_name FROM customers");
		PlanTable table = new PlanTable(new JdbcDatabase(dataSource, SchemaInitialization.NEVER));
		assertThat(table.read(List.of("alice", "bob", "carol"))).isEqualTo(Map.of("alice", "pro", "bob", "free"));
	}

	@Test
	void viewMayBeOfAnotherDatabase() {
		DataSource dataSource = dataSource(TestDatabase.H2);
		new JdbcTemplate(dataSource)
			.execute("CREATE VIEW tierlimit_user_plan AS SELECT 'alice' AS user_name, 'pro' AS plan_name");
		DataSource other = JdbcProxies.withMetadata(dataSource, "getDatabaseProductName", "Oracle");
		PlanTable table = new PlanTable(new JdbcDatabase(other, SchemaInitialization.NEVER));
		assertThat(table.read(List.of("alice"))).isEqualTo(Map.of("alice", "pro"));
	}

	private static PlanTable table(DataSource dataSource) {
		return new PlanTable(new JdbcDatabase(dataSource, SchemaInitialization.ALWAYS));
	}

	private static void insert(DataSource dataSource, String user, String plan) {
		new JdbcTemplate(dataSource).update("INSERT INTO tierlimit_user_plan (user_name, plan_name) VALUES (?, ?)",
				user, plan);
	}

	private static DataSource dataSource(TestDatabase kind) {
		return new DriverManagerDataSource(kind.create());
	}

}
