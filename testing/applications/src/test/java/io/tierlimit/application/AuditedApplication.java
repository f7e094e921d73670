package io.tierlimit.application;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;

import io.tierlimit.junit.Poll;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/**
 * Has a database, at the URL {@code test.database}. If {@code test.notifications} is
 * false, its connections are wrapped, so that they cannot receive PostgreSQL's
 * notifications.
 */
@Configuration(proxyBeanMethods = false)
@Import({ TestApplication.class, AuditedApplication.BlockableDatabase.class })
class AuditedApplication {

	/** The rows of a table. There are none if the table has not been created yet. */
	static List<Map<String, Object>> rows(JdbcTemplate database, String table) {
		return exists(database, table) ? database.queryForList("SELECT * FROM " + table) : List.of();
	}

	static void awaitTable(JdbcTemplate database, String table) {
		Poll.until(() -> exists(database, table), () -> table + " is not created");
	}

	static boolean exists(JdbcTemplate database, String table) {
		try {
			database.queryForList("SELECT * FROM " + table + " WHERE 1 = 0");
			return true;
		}
		catch (DataAccessException ex) {
			return false;
		}
	}

	/**
	 * A database that can block its callers, and records their threads.
	 */
	static final class BlockableDatabase extends DriverManagerDataSource {

		private final Set<String> threads = ConcurrentHashMap.newKeySet();

		private volatile CountDownLatch released = new CountDownLatch(0);

		private final boolean notifications;

		BlockableDatabase(@Value("${test.database}") String url,
				@Value("${test.notifications:true}") boolean notifications) {
			super(url);
			this.notifications = notifications;
		}

		/** The names of the threads that have asked for a connection. */
		Set<String> threads() {
			return this.threads;
		}

		/** From now on, each caller waits until {@link #release()}. */
		void block() {
			this.threads.clear();
			this.released = new CountDownLatch(1);
		}

		void release() {
			this.released.countDown();
		}

		@Override
		public Connection getConnection() throws SQLException {
			this.threads.add(Thread.currentThread().getName());
			try {
				this.released.await();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
				throw new SQLException(ex);
			}
			return this.notifications ? super.getConnection() : withoutDriver(super.getConnection());
		}

		private static Connection withoutDriver(Connection connection) {
			return (Connection) Proxy.newProxyInstance(Connection.class.getClassLoader(),
					new Class<?>[] { Connection.class }, (proxy, method, arguments) -> {
						if (method.getName().equals("isWrapperFor")) {
							return false;
						}
						try {
							return method.invoke(connection, arguments);
						}
						catch (InvocationTargetException ex) {
							throw ex.getTargetException();
						}
					});
		}

	}

}
