package io.tierlimit.jdbc;

import javax.sql.DataSource;

/**
 * Creates databases for tests.
 */
public final class TestJdbcDatabase {

	private TestJdbcDatabase() {
	}

	/**
	 * Creates a database with the default timeout.
	 */
	public static JdbcDatabase of(DataSource dataSource, SchemaInitialization initialization) {
		return new JdbcDatabase(dataSource, initialization);
	}

}
