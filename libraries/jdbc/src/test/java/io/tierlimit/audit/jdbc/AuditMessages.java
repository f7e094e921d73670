package io.tierlimit.audit.jdbc;

import java.time.Duration;

import javax.sql.DataSource;

import io.tierlimit.database.TestDatabase;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/**
 * Causes every message that the audit logs.
 */
public final class AuditMessages {

	private AuditMessages() {
	}

	public static void cause() {
		DataSource database = new DriverManagerDataSource(TestDatabase.H2.create());
		JdbcTemplate template = new JdbcTemplate(database);
		AuditFixture audit = AuditFixture.withTable(database);
		audit.run();
		rename(template, "tierlimit_rejection", "other");
		audit.reject(11);
		audit.run();
		rename(template, "other", "tierlimit_rejection");
		template.execute("ALTER TABLE tierlimit_rejection ADD CONSTRAINT none CHECK (FALSE)");
		audit.advance(Duration.ofMinutes(1));
		audit.run();
		template.execute("CREATE TABLE child (id BIGINT REFERENCES tierlimit_rejection (id))");
		template.execute("ALTER TABLE tierlimit_rejection DROP CONSTRAINT none");
		audit.run();
		template.execute("INSERT INTO child SELECT id FROM tierlimit_rejection");
		audit.advance(Duration.ofDays(31));
		audit.run();
		template.execute("DROP TABLE child");
		audit.advance(Duration.ofMinutes(1));
		audit.run();
		rename(template, "tierlimit_rejection", "other");
		audit.writer().start();
		audit.reject(1);
		audit.writer().stop();
	}

	private static void rename(JdbcTemplate template, String from, String to) {
		template.execute("ALTER TABLE " + from + " RENAME TO " + to);
	}

}
