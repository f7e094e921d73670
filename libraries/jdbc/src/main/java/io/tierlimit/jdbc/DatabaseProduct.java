package io.tierlimit.jdbc;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.core.JdbcTemplate;

/**
 * The supported databases. Each has its scripts.
 */
enum DatabaseProduct {

	/** H2. */
	H2,

	/** MySQL and MariaDB. */
	MYSQL,

	/** PostgreSQL. */
	POSTGRESQL;

	/**
	 * The id of an advisory lock. The number is unlikely to be used by other
	 * applications.
	 */
	private static final long SCRIPT_LOCK = 0x7469_6572_6c69_6d74L;

	static DatabaseProduct of(Connection connection) throws SQLException {
		String name = connection.getMetaData().getDatabaseProductName();
		return switch (name) {
			case "H2" -> H2;
			case "MySQL", "MariaDB" -> MYSQL;
			case "PostgreSQL" -> POSTGRESQL;
			default -> throw new IllegalStateException("Tierlimit has no tables for " + name
					+ ". The DataSource must connect to PostgreSQL, MySQL, MariaDB or H2");
		};
	}

	/**
	 * Waits until no other transaction executes a script. If two statements create the
	 * same table at the same time, PostgreSQL rejects one of them.
	 */
	void awaitOtherScripts(JdbcTemplate template) {
		if (this == POSTGRESQL) {
			template.queryForList("SELECT pg_advisory_xact_lock(" + SCRIPT_LOCK + ")");
		}
	}

	/**
	 * Returns a statement that inserts a row, or changes the given columns of the row
	 * with the same key.
	 * @param columns the columns, the first of which is the key of the table
	 */
	String upsert(String table, List<String> columns) {
		String key = columns.get(0);
		String names = table + " (" + String.join(", ", columns) + ")";
		String values = " VALUES (" + String.join(", ", Collections.nCopies(columns.size(), "?")) + ")";
		return switch (this) {
			case H2 -> "MERGE INTO " + names + " KEY (" + key + ")" + values;
			case MYSQL -> "INSERT INTO " + names + values + " ON DUPLICATE KEY UPDATE "
					+ assignments(columns, "%1$s = VALUES(%1$s)");
			case POSTGRESQL -> "INSERT INTO " + names + values + " ON CONFLICT (" + key + ") DO UPDATE SET "
					+ assignments(columns, "%1$s = EXCLUDED.%1$s");
		};
	}

	private static String assignments(List<String> columns, String assignment) {
		return columns.stream().map(assignment::formatted).collect(Collectors.joining(", "));
	}

	/** The parameter for a timestamp column. */
	Object timestamp(Instant instant) {
		// MySQL has no timestamp type with a time zone, and its drivers convert a
		// timestamp to the time zone of the connection.
		return (this == MYSQL) ? LocalDateTime.ofInstant(instant, ZoneOffset.UTC) : instant.atOffset(ZoneOffset.UTC);
	}

	/** Reads the timestamp of a column; {@code null} if it is null or infinite. */
	@Nullable Instant timestamp(ResultSet row, String column) throws SQLException {
		if (this == MYSQL) {
			LocalDateTime timestamp = row.getObject(column, LocalDateTime.class);
			return (timestamp != null) ? timestamp.toInstant(ZoneOffset.UTC) : null;
		}
		OffsetDateTime timestamp = row.getObject(column, OffsetDateTime.class);
		// The greatest timestamp is 'infinity' in PostgreSQL.
		return (timestamp == null || timestamp.equals(OffsetDateTime.MAX)) ? null : timestamp.toInstant();
	}

}
