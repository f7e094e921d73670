package io.tierlimit.jdbc;

import java.sql.Connection;
import java.sql.SQLException;

import javax.sql.DataSource;

import org.springframework.jdbc.datasource.DelegatingDataSource;

/**
 * Connections without auto-commit, as in a pool for Hibernate. When a connection is
 * closed, uncommitted changes are rolled back.
 */
public final class ManualCommitDataSource extends DelegatingDataSource {

	/**
	 * Creates a data source.
	 * @param database creates the connections
	 */
	public ManualCommitDataSource(DataSource database) {
		super(database);
	}

	@Override
	public Connection getConnection() throws SQLException {
		Connection connection = super.getConnection();
		connection.setAutoCommit(false);
		return connection;
	}

}
