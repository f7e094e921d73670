package io.tierlimit.jdbc;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.tierlimit.database.TestDatabase;

import org.springframework.jdbc.datasource.DriverManagerDataSource;

/**
 * Causes every warning that the checks of tables log.
 */
public final class TableMessages {

	private TableMessages() {
	}

	public static void cause() throws InterruptedException {
		CountDownLatch checks = new CountDownLatch(2);
		TableWatcher watcher = new TableWatcher(
				TestJdbcDatabase.of(new DriverManagerDataSource(TestDatabase.H2.create()), SchemaInitialization.NEVER),
				Duration.ofMillis(1), true, () -> {
					checks.countDown();
					throw new IllegalStateException("failed");
				});
		watcher.start();
		try {
			checks.await(60, TimeUnit.SECONDS);
		}
		finally {
			watcher.stop();
		}
	}

}
