package io.tierlimit.audit.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;

import javax.sql.DataSource;

import io.tierlimit.database.PostgreSql;
import io.tierlimit.database.TestDatabase;
import io.tierlimit.jdbc.UnreliableDatabase;
import io.tierlimit.junit.Poll;
import org.h2.api.Trigger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;

@ExtendWith(OutputCaptureExtension.class)
@Tag("slow")
class AuditWriterTests {

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private static final Pattern LOGGER = Pattern.compile("\\b(?:io\\.tierlimit|i\\.t)\\.(?:audit|jdbc)\\b");

	private final DataSource database = new DriverManagerDataSource(TestDatabase.H2.create());

	private final UnreliableDatabase unreliable = new UnreliableDatabase(this.database);

	private final AuditFixture audit = new AuditFixture(this.unreliable);

	@Test
	void oneBatchIsWrittenInEachInterval() {
		this.audit.reject(9);
		this.audit.run();
		assertThat(buckets()).containsExactly("b1", "b2", "b3", "b4");
		this.audit.run();
		this.audit.run();
		assertThat(buckets()).hasSize(9).last().isEqualTo("b9");
		assertThat(this.audit.queue().size()).isZero();
	}

	@Test
	void attemptsBecomeRarerUpToOneInAMinute() {
		this.unreliable.setDown(true);
		this.audit.reject(1);
		StringBuilder seconds = new StringBuilder();
		int attempts = 0;
		for (int second = 0; second <= 250; second++) {
			this.audit.run();
			if (this.unreliable.attempts().get() > attempts) {
				attempts = this.unreliable.attempts().get();
				seconds.append(second).append(' ');
			}
			this.audit.advance(Duration.ofSeconds(1));
		}
		assertThat(seconds.toString().strip()).isEqualTo("0 1 3 7 15 31 63 123 183 243");
	}

	@Test
	void rejectionsAreKeptInOrderAndTheFirstAttemptIsNotDelayedByEarlierOutages() {
		this.unreliable.setDown(true);
		this.audit.reject(3);
		for (int i = 0; i < 5; i++) {
			this.audit.run();
			this.audit.advance(Duration.ofMinutes(1));
		}
		this.unreliable.setDown(false);
		this.audit.run();
		assertThat(buckets()).containsExactly("b1", "b2", "b3");
		this.unreliable.setDown(true);
		this.audit.reject(3);
		this.audit.run();
		this.unreliable.setDown(false);
		this.audit.reject(1);
		this.audit.advance(Duration.ofSeconds(1));
		this.audit.run();
		assertThat(buckets()).containsExactly("b1", "b2", "b3", "b4", "b5", "b6", "b7");
		assertThat(this.audit.queue().dropped()).isZero();
	}

	@Test
	void outageIsLoggedOnceWithItsCauseAndItsEnd(CapturedOutput output) {
		this.unreliable.setDown(true);
		this.audit.reject(1);
		for (int i = 0; i < 5; i++) {
			this.audit.run();
			this.audit.advance(Duration.ofMinutes(1));
		}
		assertThat(count(output, "Rejections cannot be written")).isEqualTo(1);
		assertThat(output).doesNotContain("Old rows");
		assertThat(output).contains("java.sql.SQLException: down");
		assertThat(output).doesNotContain("written to the table tierlimit_rejection again");
		this.unreliable.setDown(false);
		this.audit.run();
		this.audit.run();
		assertThat(count(output, "written to the table tierlimit_rejection again")).isEqualTo(1);
	}

	@Test
	void droppedRejectionsAreLoggedAtMostOnceAMinute(CapturedOutput output) {
		this.unreliable.setDown(true);
		this.audit.reject(13);
		this.audit.run();
		assertThat(count(output, "3 rejections are missing")).isEqualTo(1);
		this.audit.reject(5);
		this.audit.advance(Duration.ofSeconds(59));
		this.audit.run();
		assertThat(count(output, "rejections are missing")).isEqualTo(1);
		this.audit.advance(Duration.ofSeconds(1));
		this.audit.run();
		this.audit.run();
		assertThat(count(output, "5 rejections are missing")).isEqualTo(1);
		this.audit.advance(Duration.ofMinutes(1));
		this.audit.run();
		assertThat(count(output, "rejections are missing")).as("none were dropped since").isEqualTo(2);
		assertThat(this.audit.queue().dropped()).isEqualTo(8);
	}

	/** Otherwise the rejection would block all others. */
	@Test
	void rejectionThatDoesNotFitIsDroppedAndTheOthersAreWritten(CapturedOutput output) {
		this.audit.run();
		new JdbcTemplate(this.database)
			.execute("ALTER TABLE tierlimit_rejection ADD CONSTRAINT small CHECK (LENGTH(bucket_key) < 3)");
		this.audit.reject("a");
		this.audit.reject("large");
		this.audit.reject("b");
		this.audit.reject("larger");
		this.audit.run();
		assertThat(buckets()).containsExactly("a", "b");
		assertThat(this.audit.queue().size()).isZero();
		assertThat(this.audit.queue().dropped()).isEqualTo(2);
		assertThat(output).contains("does not fit into the table tierlimit_rejection");
	}

	/** Messages of PostgreSQL contain the row. */
	@Test
	void noLogLineHasPersonalData(CapturedOutput output) {
		DataSource real = new DriverManagerDataSource(TestDatabase.POSTGRESQL.create());
		JdbcTemplate template = new JdbcTemplate(real);
		AuditFixture audit = AuditFixture.withTable(real);
		audit.run();
		template.execute("ALTER TABLE tierlimit_rejection ADD CONSTRAINT small CHECK (LENGTH(bucket_key) < 3)");
		audit.reject("large");
		audit.run();
		template.execute("ALTER TABLE tierlimit_rejection RENAME TO other");
		audit.reject("b");
		audit.run();
		List<String> lines = output.getAll().lines().filter((line) -> LOGGER.matcher(line).find()).toList();
		assertThat(lines).hasSize(3)
			.anyMatch((line) -> line.contains("SQL state 23514"))
			.anyMatch((line) -> line.contains("ERROR: relation \"tierlimit_rejection\" does not exist"))
			.noneMatch((line) -> line.contains("ada") || line.contains("192.0.2.1") || line.contains("large"));
	}

	@Test
	void tableThatIsCreatedLaterIsUsed() {
		JdbcTemplate template = new JdbcTemplate(this.database);
		AuditFixture audit = AuditFixture.withTable(this.database);
		audit.run();
		template.execute("ALTER TABLE tierlimit_rejection RENAME TO other");
		audit.reject(1);
		audit.run();
		template.execute("ALTER TABLE other RENAME TO tierlimit_rejection");
		audit.advance(Duration.ofSeconds(1));
		audit.run();
		assertThat(buckets()).containsExactly("b1");
	}

	@Test
	void oldRowsAreDeletedInSmallSteps() {
		this.audit.reject(9);
		for (int i = 0; i < 3; i++) {
			this.audit.run();
		}
		this.audit.advance(Duration.ofDays(30));
		this.audit.run();
		assertThat(buckets()).as("not older than 30 days").hasSize(9);
		this.audit.advance(Duration.ofMinutes(1));
		this.audit.run();
		assertThat(buckets()).containsExactly("b5", "b6", "b7", "b8", "b9");
		this.audit.run();
		assertThat(buckets()).containsExactly("b9");
		this.audit.run();
		assertThat(buckets()).isEmpty();
	}

	@Test
	void oldRowsAreSearchedOnceAMinuteIfThereAreFew() {
		this.audit.run();
		int before = this.unreliable.attempts().get();
		this.audit.advance(Duration.ofSeconds(59));
		this.audit.run();
		assertThat(this.unreliable.attempts()).as("nothing to write or delete").hasValue(before);
		this.audit.advance(Duration.ofSeconds(1));
		this.audit.run();
		assertThat(this.unreliable.attempts()).hasValueGreaterThan(before);
	}

	/** For example, the database user may lack the right to delete rows. */
	@Test
	void failureToDeleteDoesNotStopWriting(CapturedOutput output) {
		this.audit.run();
		new JdbcTemplate(this.database).execute("CREATE TRIGGER keep BEFORE DELETE ON tierlimit_rejection FOR EACH ROW "
				+ "CALL '" + Keep.class.getName() + "'");
		this.audit.reject(1);
		this.audit.run();
		this.audit.advance(Duration.ofDays(31));
		this.audit.run();
		assertThat(count(output, "Old rows of the table tierlimit_rejection cannot be deleted")).isEqualTo(1);
		for (int i = 0; i < 3; i++) {
			this.audit.reject(1);
			this.audit.run();
		}
		assertThat(buckets()).containsExactly("b1", "b2", "b3", "b4");
	}

	@Test
	void threadWritesWithoutAnyCall() {
		AuditFixture audit = new AuditFixture(this.database, Duration.ofMillis(1), PATIENCE);
		audit.writer().start();
		try {
			audit.reject(9);
			Poll.until(PATIENCE, () -> audit.queue().size() == 0, () -> "not written");
		}
		finally {
			audit.writer().stop();
		}
		assertThat(buckets()).hasSize(9);
		audit.advance(Duration.ofDays(100_000));
		audit.run();
		assertThat(buckets()).as("without a retention").hasSize(9);
	}

	@Test
	void stopWritesWhatWaits() {
		AuditFixture audit = new AuditFixture(this.unreliable, Duration.ofHours(1), PATIENCE);
		audit.writer().start();
		assertThat(audit.writer().isRunning()).isTrue();
		audit.reject(9);
		audit.writer().stop();
		assertThat(buckets()).hasSize(9);
		assertThat(audit.writer().isRunning()).isFalse();
	}

	/** Otherwise the stop would not return. */
	@Test
	void stopDoesNotWaitForABlockedDatabase(CapturedOutput output) {
		this.unreliable.block();
		AuditFixture audit = new AuditFixture(this.unreliable, Duration.ofHours(1), Duration.ofMillis(1));
		audit.writer().start();
		audit.reject(2);
		audit.writer().stop();
		assertThat(output)
			.contains("2 rejections are missing in the table tierlimit_rejection, because the application");
	}

	@Test
	void stopOfARunningWriterEndsWithTheFirstFailure(CapturedOutput output) {
		this.unreliable.setDown(true);
		AuditFixture audit = new AuditFixture(this.unreliable, Duration.ofHours(1), PATIENCE);
		audit.writer().start();
		audit.reject(2);
		audit.writer().stop();
		assertThat(this.unreliable.attempts()).hasValue(1);
		assertThat(output).contains("2 rejections are missing");
	}

	@Test
	void stoppedPostgreSqlLosesNothing() {
		DataSource real = new DriverManagerDataSource(TestDatabase.POSTGRESQL.create());
		AuditFixture audit = new AuditFixture(real);
		audit.reject(2);
		audit.run();
		PostgreSql.server().stop();
		try {
			audit.reject(3);
			audit.run();
			assertThat(audit.queue().size()).isEqualTo(3);
		}
		finally {
			PostgreSql.server().start();
		}
		audit.advance(Duration.ofSeconds(1));
		audit.run();
		assertThat(TestAudit.buckets(new JdbcTemplate(real))).containsExactly("b1", "b2", "b3", "b4", "b5");
	}

	private List<String> buckets() {
		return TestAudit.buckets(new JdbcTemplate(this.database));
	}

	private static int count(CapturedOutput output, String text) {
		return output.getAll().split(Pattern.quote(text), -1).length - 1;
	}

	/**
	 * A trigger that fails when a row is deleted.
	 */
	public static final class Keep implements Trigger {

		@Override
		public void fire(Connection connection, Object[] before, Object[] after) throws SQLException {
			throw new SQLException("kept");
		}

	}

}
