package io.tierlimit.jdbc;

import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.context.SmartLifecycle;
import org.springframework.core.NestedExceptionUtils;

/**
 * Checks tables for changes, in a thread of its own: when it starts, after each
 * notification of PostgreSQL, and otherwise after 80% to 100% of an interval, so that
 * several instances do not check at the same time.
 */
public final class TableWatcher implements SmartLifecycle {

	private static final Log logger = LogFactory.getLog(TableWatcher.class);

	/** How long {@link #stop()} waits for a check. */
	private static final Duration STOP_LIMIT = Duration.ofSeconds(5);

	private final JdbcDatabase database;

	private final Duration interval;

	private final boolean listens;

	private final Runnable check;

	private volatile @Nullable Watch watch;

	/**
	 * Creates a watcher, which does not connect before it is started.
	 * @param database has the tables
	 * @param interval the maximum time between two checks
	 * @param listens whether notifications are received if the database is PostgreSQL,
	 * which occupies a connection
	 * @param check checks the tables, and may block
	 */
	public TableWatcher(JdbcDatabase database, Duration interval, boolean listens, Runnable check) {
		this.database = database;
		this.interval = interval;
		this.listens = listens;
		this.check = check;
	}

	@Override
	public void start() {
		Watch started = new Watch();
		this.watch = started;
		started.thread.start();
	}

	@Override
	public void stop() {
		Watch stopped = this.watch;
		this.watch = null;
		if (stopped != null) {
			stopped.end();
		}
	}

	@Override
	public boolean isRunning() {
		return this.watch != null;
	}

	/**
	 * The time from a start to a stop.
	 */
	private final class Watch {

		private final CountDownLatch ended = new CountDownLatch(1);

		private final Thread thread = new Thread(this::run, "tierlimit-tables");

		private @Nullable NotificationListener listener;

		/** Whether the next check follows without an attempt to listen. */
		private boolean pauses;

		private boolean failureIsLogged;

		Watch() {
			this.thread.setDaemon(true);
		}

		void end() {
			this.ended.countDown();
			try {
				this.thread.join(STOP_LIMIT.toMillis());
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		}

		private void run() {
			try {
				while (this.ended.getCount() > 0) {
					// Listen before the check, so that no change is missed in between.
					listen();
					check();
					await();
				}
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
			finally {
				close();
			}
		}

		private void check() {
			try {
				TableWatcher.this.check.run();
			}
			catch (Throwable ex) { // any other exception would end the thread
				logger.warn("Tables of Tierlimit were not checked for changes. The next check follows.", ex);
			}
		}

		private void listen() {
			if (!TableWatcher.this.listens || this.listener != null || this.pauses) {
				return;
			}
			try {
				this.listener = TableWatcher.this.database.listen();
				this.failureIsLogged = false;
			}
			catch (SQLException | RuntimeException ex) {
				fail(ex);
			}
		}

		private void await() throws InterruptedException {
			long remaining = Math
				.round(TableWatcher.this.interval.toNanos() * ThreadLocalRandom.current().nextDouble(0.8, 1));
			NotificationListener listening = this.listener;
			if (listening == null) {
				this.ended.await(remaining, TimeUnit.NANOSECONDS);
				this.pauses = false;
				return;
			}
			try {
				listening.await(remaining, () -> this.ended.getCount() == 0);
			}
			catch (SQLException ex) {
				close();
				fail(ex);
			}
		}

		/** The next attempt follows after an interval. */
		private void fail(Exception cause) {
			this.pauses = true;
			if (!this.failureIsLogged) {
				this.failureIsLogged = true;
				logger.info("No notifications of the database are received: "
						+ NestedExceptionUtils.getMostSpecificCause(cause)
						+ ". Until they are, changes of tables are found at intervals of tierlimit.jdbc.refresh.");
			}
		}

		private void close() {
			NotificationListener closed = this.listener;
			this.listener = null;
			if (closed != null) {
				closed.close();
			}
		}

	}

}
