package io.tierlimit.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;

/**
 * A connection that receives the notifications of the triggers in PostgreSQL. The driver
 * waits on the socket, without queries.
 *
 * @param connection the connection
 * @param driver the same connection, as an object of the driver
 */
record NotificationListener(Connection connection, PGConnection driver) {

	/** The maximum time until a wait ends after the application has ended. */
	private static final long SLICE = TimeUnit.MILLISECONDS.toNanos(200);

	private static final int VALIDATION_SECONDS = 5;

	/** Returns {@code null} if the driver is not the driver of the PostgreSQL project. */
	static @Nullable NotificationListener open(DataSource dataSource) throws SQLException {
		Connection connection = dataSource.getConnection();
		try {
			if (connection.isWrapperFor(PGConnection.class)) {
				connection.setAutoCommit(true);
				execute(connection, "LISTEN tierlimit");
				return new NotificationListener(connection, connection.unwrap(PGConnection.class));
			}
		}
		catch (SQLException ex) {
			connection.close();
			throw ex;
		}
		connection.close();
		return null;
	}

	/**
	 * Waits for a notification.
	 * @param time the maximum time
	 * @param ended whether the wait ends early
	 * @throws SQLException if the connection is broken
	 */
	void await(Duration time, BooleanSupplier ended) throws SQLException {
		long end = System.nanoTime() + time.toNanos();
		for (long left = time.toNanos(); left > 0 && !ended.getAsBoolean(); left = end - System.nanoTime()) {
			int millis = (int) TimeUnit.NANOSECONDS.toMillis(Math.min(left, SLICE));
			if (this.driver.getNotifications(Math.max(1, millis)).length > 0) {
				return;
			}
		}
		if (!this.connection.isValid(VALIDATION_SECONDS)) {
			throw new SQLException("the connection is broken");
		}
	}

	/** Closes the connection, or returns it to its pool. */
	void close() {
		try (this.connection) {
			execute(this.connection, "UNLISTEN tierlimit");
		}
		catch (SQLException ex) {
			// The connection is broken, and the pool removes it.
		}
	}

	private static void execute(Connection connection, String statement) throws SQLException {
		try (Statement executed = connection.createStatement()) {
			executed.execute(statement);
		}
	}

}
