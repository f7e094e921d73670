package io.tierlimit.audit.jdbc;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TimeZone;
import java.util.stream.IntStream;

import javax.sql.DataSource;

import io.tierlimit.database.TestDatabase;
import io.tierlimit.evaluation.TestDecision;
import io.tierlimit.jdbc.JdbcDatabase;
import io.tierlimit.jdbc.JdbcProxies;
import io.tierlimit.jdbc.SchemaInitialization;
import io.tierlimit.key.KeyHash;
import io.tierlimit.key.KeyHashing;
import io.tierlimit.limit.Concurrency;
import io.tierlimit.limit.Decision;
import io.tierlimit.limit.Limit;
import io.tierlimit.rule.TestRules;
import io.tierlimit.spi.Endpoint;
import io.tierlimit.store.Crowd;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Runs on each supported database.
 */
@Tag("slow")
class RejectionTableTests {

	private static final Instant NOW = Instant.parse("2030-01-02T03:04:05.678901Z");

	@ParameterizedTest
	@EnumSource
	void rowHasTheFactsOfTheRejection(TestDatabase kind) {
		TestDecision decision = TestDecision.rejected(TestRules.rule("search", 10))
			.onPlan("pro")
			.onBucket("ada|GET /search")
			.cost(3);
		Rejection rejection = new Rejection(NOW, decision, "ada", "192.0.2.1", new Endpoint("GET", "/search"));
		assertThat(row(kind, KeyHashing.SENSITIVE, rejection)).containsEntry("rule_id", "search")
			.containsEntry("bucket_key", "ada|GET /search")
			.containsEntry("plan_name", "pro")
			.containsEntry("user_name", "ada")
			.containsEntry("address", "192.0.2.1")
			.containsEntry("endpoint", "GET /search")
			.containsEntry("cost", 3L)
			.containsEntry("remaining", 0L)
			.containsEntry("retry_after_ms", 1000L)
			.containsEntry("shadow", false)
			.containsKeys("id", "rejected_at")
			.hasSize(12);
		KeyHash hash = new KeyHash(KeyHashing.ALL, null);
		assertThat(row(kind, KeyHashing.ALL, rejection)).containsEntry("user_name", hash.key("ada"))
			.containsEntry("address", hash.key("192.0.2.1"));
		assertThat(hash.key("ada")).startsWith("(hash)").doesNotContain("ada");
	}

	@ParameterizedTest
	@EnumSource
	void factThatIsNotKnownIsNull(TestDatabase kind) {
		assertThat(row(kind, TestRules.bucket(10), 7, Decision.NEVER)).containsEntry("bucket_key", "")
			.containsEntry("plan_name", null)
			.containsEntry("user_name", null)
			.containsEntry("address", null)
			.containsEntry("endpoint", null)
			.containsEntry("cost", 20L)
			.containsEntry("remaining", 7L)
			.containsEntry("retry_after_ms", null)
			.containsEntry("shadow", true);
		assertThat(row(kind, Concurrency.of(2, Duration.ofMinutes(1)), 0, Decision.UNKNOWN))
			.containsEntry("retry_after_ms", null);
		assertThat(row(kind, TestRules.bucket(10), 0, 1_000_001)).as("rounded up")
			.containsEntry("retry_after_ms", 1001L);
	}

	private static Map<String, Object> row(TestDatabase kind, Limit limit, long remaining, long wait) {
		TestDecision decision = new TestDecision("search", null, true, "", 20, limit,
				new Decision(false, remaining, wait, 0, 0), false);
		return row(kind, KeyHashing.SENSITIVE, new Rejection(NOW, decision, null, null, null));
	}

	private static Map<String, Object> row(TestDatabase kind, KeyHashing hashing, Rejection rejection) {
		JdbcDatabase database = database(kind);
		new RejectionTable(database, new KeyHash(hashing, null)).insert(List.of(rejection));
		return database.template().queryForMap("SELECT * FROM tierlimit_rejection");
	}

	/** The result must not depend on the time zones of the JVM and of the session. */
	@ParameterizedTest
	@EnumSource
	void timeIsExactInAnyZone(TestDatabase kind) {
		TimeZone zone = TimeZone.getDefault();
		try {
			TimeZone.setDefault(TimeZone.getTimeZone("Pacific/Apia"));
			JdbcDatabase database = database(kind);
			table(database).insert(List.of(TestAudit.rejection(NOW, "ada")));
			String column = "SELECT rejected_at FROM tierlimit_rejection";
			Instant stored = (kind == TestDatabase.MARIADB)
					? database.template()
						.query(column, (row, index) -> row.getObject(1, LocalDateTime.class).toInstant(ZoneOffset.UTC))
						.get(0)
					: database.template()
						.query(column, (row, index) -> row.getObject(1, OffsetDateTime.class).toInstant())
						.get(0);
			assertThat(stored).isEqualTo(NOW);
			assertThat(table(database).deleteBefore(NOW, 10)).isZero();
			assertThat(table(database).deleteBefore(NOW.plusNanos(1000), 10)).isEqualTo(1);
		}
		finally {
			TimeZone.setDefault(zone);
		}
	}

	/**
	 * Otherwise each attempt to insert such a string would fail, and with it all other
	 * rows of the batch. The maximum length must not split a surrogate pair.
	 */
	@ParameterizedTest
	@EnumSource
	void clientSuppliedTextIsStoredWhateverItContains(TestDatabase kind) {
		TestDecision decision = TestDecision.rejected(TestRules.rule("r".repeat(100), 10))
			.onPlan("p".repeat(300))
			.onBucket("nul\0 lone\uD800 pair\uD83D\uDE00 line\n" + "k".repeat(2000));
		Rejection rejection = new Rejection(NOW, decision, "\0".repeat(64), "a".repeat(64),
				new Endpoint("GET", "e".repeat(2000)));
		assertThat((String) row(kind, KeyHashing.NONE, rejection).get("bucket_key"))
			.startsWith("nul? lone? pair\uD83D\uDE00 line?kkk")
			.hasSize(1000);
		assertThat(row(kind, KeyHashing.NONE, TestAudit.rejection(NOW, "k".repeat(999) + "\uD83D\uDE00")))
			.containsEntry("bucket_key", "k".repeat(999) + "?");
	}

	@ParameterizedTest
	@EnumSource
	void allRejectionsAreInsertedOrNone(TestDatabase kind) {
		JdbcDatabase database = database(kind);
		database.template()
			.execute("ALTER TABLE tierlimit_rejection ADD CONSTRAINT one UNIQUE (bucket_key)".replace("(bucket_key)",
					(kind == TestDatabase.MARIADB) ? "(bucket_key(100))" : "(bucket_key)"));
		List<Rejection> twice = List.of(TestAudit.rejection(NOW, "a"), TestAudit.rejection(NOW, "b"),
				TestAudit.rejection(NOW, "a"));
		assertThatExceptionOfType(DataIntegrityViolationException.class)
			.isThrownBy(() -> table(database).insert(twice));
		assertThat(TestAudit.buckets(database.template())).isEmpty();
	}

	@ParameterizedTest
	@EnumSource
	void oldestRowsAreDeletedInSmallSteps(TestDatabase kind) {
		JdbcDatabase database = database(kind);
		RejectionTable table = table(database);
		List<Rejection> rejections = new ArrayList<>();
		for (int age : new int[] { 3, 1, 5, 2, 4 }) {
			rejections.add(TestAudit.rejection(NOW.minus(Duration.ofDays(age)), "age " + age));
		}
		table.insert(rejections);
		Instant moment = NOW.minus(Duration.ofDays(2));
		assertThat(table.deleteBefore(moment, 2)).isEqualTo(2);
		assertThat(TestAudit.buckets(database.template())).containsExactly("age 3", "age 1", "age 2");
		assertThat(table.deleteBefore(moment, 2)).isEqualTo(1);
		assertThat(TestAudit.buckets(database.template())).containsExactly("age 1", "age 2");
		assertThat(table.deleteBefore(moment, 2)).isZero();
	}

	/** With Hibernate, a pool may have connections without auto-commit. */
	@ParameterizedTest
	@EnumSource
	void severalInstancesDeleteTogetherWithoutAutoCommit(TestDatabase kind) throws Exception {
		DataSource dataSource = new DriverManagerDataSource(kind.create());
		JdbcDatabase database = new JdbcDatabase(JdbcProxies.withoutAutoCommit(dataSource),
				SchemaInitialization.ALWAYS);
		database.createTables("audit");
		List<Rejection> rejections = new ArrayList<>(Collections.nCopies(200, TestAudit.rejection(NOW, "old")));
		rejections.add(TestAudit.rejection(NOW.plusSeconds(2), "new"));
		table(database).insert(rejections);
		List<Integer> deleted = Crowd.run(4, (member) -> {
			RejectionTable table = table(database);
			return IntStream.generate(() -> table.deleteBefore(NOW.plusSeconds(1), 10))
				.takeWhile((found) -> found > 0)
				.sum();
		});
		assertThat(deleted.stream().mapToInt(Integer::intValue).sum()).isGreaterThanOrEqualTo(200);
		assertThat(TestAudit.buckets(new JdbcTemplate(dataSource))).containsExactly("new");
	}

	@ParameterizedTest
	@EnumSource
	void missingTableIsCreatedByTheFirstStatement(TestDatabase kind) {
		JdbcDatabase inserted = new JdbcDatabase(new DriverManagerDataSource(kind.create()),
				SchemaInitialization.ALWAYS);
		table(inserted).insert(List.of(TestAudit.rejection(NOW, "b")));
		assertThat(TestAudit.buckets(inserted.template())).containsExactly("b");
		JdbcDatabase searched = new JdbcDatabase(new DriverManagerDataSource(kind.create()),
				SchemaInitialization.ALWAYS);
		assertThat(table(searched).deleteBefore(NOW, 1)).isZero();
		assertThat(TestAudit.buckets(searched.template())).isEmpty();
	}

	private static JdbcDatabase database(TestDatabase kind) {
		JdbcDatabase database = new JdbcDatabase(new DriverManagerDataSource(kind.create()),
				SchemaInitialization.ALWAYS);
		database.createTables("audit");
		return database;
	}

	private static RejectionTable table(JdbcDatabase database) {
		return new RejectionTable(database, new KeyHash(KeyHashing.SENSITIVE, null));
	}

}
