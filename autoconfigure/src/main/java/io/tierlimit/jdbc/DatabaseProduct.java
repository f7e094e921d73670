package io.tierlimit.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;

/**
 * The databases that have scripts.
 */
enum DatabaseProduct {

	/** H2. */
	H2,

	/** MySQL and MariaDB. */
	MYSQL,

	/** PostgreSQL. */
	POSTGRESQL;

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

	/** A parameter for a column of a moment. */
	Object moment(Instant instant) {
		// MySQL has no type with a zone, and its drivers convert to the zone of the
		// connection.
		return (this == MYSQL) ? LocalDateTime.ofInstant(instant, ZoneOffset.UTC) : instant.atOffset(ZoneOffset.UTC);
	}

}
