package io.tierlimit.jdbc;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.function.Function;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.datasource.DelegatingDataSource;

/**
 * Creates data sources whose connections differ from the connections of a real one.
 */
public final class JdbcProxies {

	private JdbcProxies() {
	}

	/** A single value in the metadata differs. */
	public static DataSource withMetadata(DataSource database, String method, String value) {
		return changing(database, (connection) -> proxy(Connection.class, (proxy, called, arguments) -> {
			Object result = called.invoke(connection, arguments);
			return (result instanceof DatabaseMetaData real)
					? proxy(DatabaseMetaData.class,
							(other, name, values) -> name.getName().equals(method) ? value : name.invoke(real, values))
					: result;
		}));
	}

	/**
	 * A hook receives the name of each method that is called on a connection. Its result
	 * replaces the result of the connection.
	 */
	public static DataSource intercepted(DataSource database, Function<String, @Nullable Object> hook) {
		return changing(database, (connection) -> proxy(Connection.class, (proxy, method, arguments) -> {
			Object result = hook.apply(method.getName());
			return (result != null) ? result : method.invoke(connection, arguments);
		}));
	}

	/**
	 * Connections without auto-commit, as in a pool for Hibernate. When a connection is
	 * closed, uncommitted changes are rolled back.
	 */
	public static DataSource withoutAutoCommit(DataSource database) {
		return changing(database, (connection) -> {
			connection.setAutoCommit(false);
			return connection;
		});
	}

	private static DataSource changing(DataSource database, Change change) {
		return new DelegatingDataSource(database) {

			@Override
			public Connection getConnection() throws SQLException {
				return change.apply(super.getConnection());
			}

		};
	}

	private static <T> T proxy(Class<T> type, InvocationHandler handler) {
		return type
			.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type }, (proxy, method, arguments) -> {
				try {
					return handler.invoke(proxy, method, arguments);
				}
				catch (InvocationTargetException ex) {
					throw ex.getCause();
				}
			}));
	}

	/** Changes a connection, or replaces it. */
	private interface Change {

		Connection apply(Connection connection) throws SQLException;

	}

}
