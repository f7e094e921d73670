package io.tierlimit.rule.jdbc;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TimeZone;

import javax.sql.DataSource;

import io.tierlimit.database.TestDatabase;
import io.tierlimit.jdbc.JdbcProxies;
import io.tierlimit.store.Crowd;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

@Tag("slow")
class OverrideTableTests {

	@ParameterizedTest
	@EnumSource
	void columnsOfOverridesAreProperties(TestDatabase kind) throws Exception {
		RuleDatabase database = RuleDatabase.create(kind);
		assertThat(database.tables().readOverrides()).isEmpty();
		database.template()
			.update("INSERT INTO tierlimit_override (override_id, rule_ids, user_name, rate, burst, "
					+ "reason) VALUES ('acme', 'a, b', 'Acme|é', '5/m', '10', 'sale')");
		database.template()
			.update("INSERT INTO tierlimit_override (override_id, address, unlimited, blocked) "
					+ "VALUES ('office', '192.0.2.0/24', TRUE, FALSE)");
		database.template()
			.update("INSERT INTO tierlimit_override (override_id, bucket_key) VALUES ('key', ?)",
					"user:a,b\nendpoint:GET /c");
		database.template()
			.update("INSERT INTO tierlimit_override (override_id, rule_ids, user_name, max_in_use) "
					+ "VALUES ('exports', 'e', 'acme', '10')");
		assertThat(database.overrides()).isEqualTo(Map.of("acme",
				Map.of("rules", "a, b", "user", "Acme|é", "rate", "5/m", "burst", "10", "reason", "sale"), "office",
				Map.of("address", "192.0.2.0/24", "unlimited", "true", "blocked", "false"), "key",
				Map.of("key[0]", "user:a,b", "key[1]", "endpoint:GET /c"), "exports",
				Map.of("rules", "e", "user", "acme", "limit", "10")));
		assertThat(database.tables().placeOfOverride("acme")).isEqualTo("table tierlimit_override, row 'acme'");
	}

	@ParameterizedTest
	@EnumSource
	void overridesAreStoredReplacedAndRemoved(TestDatabase kind) throws Exception {
		RuleDatabase database = RuleDatabase.create(kind);
		RuleTablesTests.CountingReload reload = new RuleTablesTests.CountingReload(database.tables());
		Map<String, String> blocked = Map.of("key[0]", "user:a,b", "key[1]", "endpoint:GET /c", "rules", "r", "blocked",
				"true", "unlimited", "false", "until", "2999-06-01T12:00:00.123456Z", "reason", "why");
		database.tables().setOverride("x", blocked);
		database.tables().reloadIfChanged(reload);
		assertThat(reload.count).isEqualTo(1);
		assertThat(database.tables().readOverrides()).isEqualTo(Map.of("x", blocked));
		database.tables()
			.setOverride("x", Map.of("user", "u", "rules", "r", "rate", "1/s", "limit", "7", "until",
					"2999-06-01T14:00:00+02:00"));
		assertThat(database.overrides()).isEqualTo(Map.of("x", Map.of("user", "u", "rules", "r", "rate", "1/s", "limit",
				"7", "blocked", "false", "unlimited", "false", "until", "2999-06-01T12:00:00Z")));
		database.tables().removeOverride("x");
		assertThat(database.overrides()).isEmpty();
	}

	@ParameterizedTest
	@EnumSource
	void overridesThatHaveEndedAreNotRead(TestDatabase kind) throws Exception {
		RuleDatabase database = RuleDatabase.create(kind);
		database.tables()
			.setOverride("old",
					Map.of("user", "u", "unlimited", "true", "until", Instant.now().minusSeconds(60).toString()));
		database.tables()
			.setOverride("new",
					Map.of("user", "u", "unlimited", "true", "until", Instant.now().plusSeconds(3600).toString()));
		assertThat(database.overrides()).containsOnlyKeys("new");
	}

	/** With Hibernate, a pool may have connections without auto-commit. */
	@ParameterizedTest
	@EnumSource
	void editsAreCommittedByConnectionsWithoutAutoCommit(TestDatabase kind) throws Exception {
		DataSource dataSource = RuleDatabase.dataSource(kind);
		RuleTables tables = RuleDatabase.tables(JdbcProxies.withoutAutoCommit(dataSource));
		tables.read();
		RuleTables other = RuleDatabase.tables(dataSource);
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
		DataSource dataSource = RuleDatabase.dataSource(kind);
		RuleDatabase.tables(dataSource).read();
		List<RuleTables> instances = List.of(RuleDatabase.tables(dataSource), RuleDatabase.tables(dataSource),
				RuleDatabase.tables(dataSource), RuleDatabase.tables(dataSource));
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

	/** An operator may have added a column, for example for a ticket number. */
	@ParameterizedTest
	@EnumSource
	void editKeepsFurtherColumns(TestDatabase kind) throws Exception {
		RuleDatabase database = RuleDatabase.create(kind);
		database.template().execute("ALTER TABLE tierlimit_override ADD COLUMN ticket VARCHAR(100)");
		database.tables().setOverride("x", Map.of("user", "u", "blocked", "true", "until", "2999-06-01T12:00:00Z"));
		database.template().update("UPDATE tierlimit_override SET ticket = 'T-1'");
		database.tables().setOverride("x", Map.of("user", "v", "unlimited", "true"));
		assertThat(database.overrides())
			.isEqualTo(Map.of("x", Map.of("user", "v", "blocked", "false", "unlimited", "true")));
		assertThat(database.template().queryForList("SELECT ticket FROM tierlimit_override", String.class))
			.containsExactly("T-1");
	}

	@ParameterizedTest
	@EnumSource
	void textOfAnEditIsStoredAsItIs(TestDatabase kind) throws Exception {
		RuleDatabase database = RuleDatabase.create(kind);
		int i = 0;
		for (String text : List.of("'; DROP TABLE tierlimit_override; --", "o'brien", "a\\", "\\'", "\"", "${a}",
				"%s ?", "\ud83d\ude00", "\u00e4", "a\u0308", "A", "a", "\u0001", "\ufeff")) {
			Map<String, String> properties = Map.of("key[0]", text, "rules", "r", "reason", text, "blocked", "true",
					"unlimited", "false");
			database.tables().setOverride("o" + i, properties);
			assertThat(database.overrides()).as(text).containsEntry("o" + i, properties);
			i++;
		}
	}

	/**
	 * The override would be read as an override of another caller, with two parts of a
	 * key in place of one, or not at all.
	 */
	@ParameterizedTest
	@EnumSource
	void textThatADatabaseChangesIsNotStored(TestDatabase kind) throws Exception {
		RuleDatabase database = RuleDatabase.create(kind);
		for (String text : List.of("a\ud83d", "\ude00a", "a\0", "\0")) {
			assertThatThrownBy(() -> database.tables().setOverride("x", Map.of("user", text, "blocked", "true")))
				.hasMessageContaining("user must not contain a NUL character or half of a surrogate pair");
		}
		for (String text : List.of("a\ud83d", "\ude00a", "a\0", "\0", "a\nb", "a\n", "\na", "a\r", "a\r\nb")) {
			assertThatThrownBy(
					() -> database.tables().setOverride("x", Map.of("key[0]", text, "rules", "r", "blocked", "true")))
				.hasMessageContaining("must not contain")
				.hasMessageContaining(text.matches("(?s).*[\r\n].*") ? "a line break" : "key[0]");
		}
		assertThat(database.overrides()).isEmpty();
	}

	/** The times include a local time that does not exist in the time zone of the JVM. */
	@ParameterizedTest
	@EnumSource
	void endIsExactInAnyZone(TestDatabase kind) throws Exception {
		TimeZone zone = TimeZone.getDefault();
		try {
			TimeZone.setDefault(TimeZone.getTimeZone("America/New_York"));
			RuleTables tables = RuleDatabase.tables(RuleDatabase.dataSource(kind));
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

	/** A missing column is reported even if the table has no rows. */
	@ParameterizedTest
	@EnumSource
	void missingColumnOfOverridesIsReported(TestDatabase kind) throws Exception {
		RuleDatabase database = RuleDatabase.create(kind);
		database.template().execute("ALTER TABLE tierlimit_override DROP COLUMN burst");
		assertThatThrownBy(database.tables()::read).message()
			.startsWith("the table does not exist, or differs from the script")
			.containsIgnoringCase("burst");
	}

	@Test
	void readOnlyDatabaseIsReadAndRejectsEdits() throws Exception {
		DataSource dataSource = RuleDatabase.dataSource(TestDatabase.POSTGRESQL);
		RuleDatabase.tables(dataSource).read();
		JdbcTemplate template = new JdbcTemplate(dataSource);
		template.update("INSERT INTO tierlimit_override (override_id, user_name, blocked) VALUES ('x', 'u', TRUE)");
		String name = template.queryForObject("SELECT current_database()", String.class);
		template.execute("ALTER DATABASE " + name + " SET default_transaction_read_only = on");
		RuleTables tables = RuleDatabase.tables(dataSource);
		tables.read();
		assertThat(tables.readOverrides()).containsOnlyKeys("x");
		assertThatThrownBy(() -> tables.removeOverride("x")).hasMessageContaining("read-only transaction");
		assertThatThrownBy(() -> tables.setOverride("x", Map.of("user", "v", "blocked", "true")))
			.hasMessageContaining("read-only transaction");
	}

}
