package io.tierlimit.jdbc;

import java.sql.Connection;
import java.sql.SQLException;

import javax.sql.DataSource;

import org.springframework.jdbc.datasource.DelegatingDataSource;

/**
 * Connections without auto-commit, as a pool for Hibernate has them. They roll back what
 * was not committed when they are closed.
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
