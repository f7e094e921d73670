package io.tierlimit.jdbc;

import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

import io.tierlimit.task.BackgroundTask;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.context.SmartLifecycle;

/**
 * Checks tables for changes in a background thread: when the thread starts, after each
 * notification of PostgreSQL, and otherwise after 80% to 100% of an interval, so that
 * several instances do not check at the same time.
 */
public final class TableWatcher implements SmartLifecycle {

	private static final Log logger = LogFactory.getLog(TableWatcher.class);

	/** The maximum time that {@link #stop()} waits for a check. */
	private static final Duration STOP_LIMIT = Duration.ofSeconds(5);

	private final JdbcDatabase database;

	private final Duration interval;

	private final Runnable check;

	/** Whether connections may be able to receive notifications. */
	private boolean mayListen;

	private @Nullable NotificationListener listener;

	private boolean failureIsLogged;

	private final BackgroundTask task = new BackgroundTask("tierlimit-tables", this::run);

	/**
	 * Creates a watcher, which does not connect before it is started.
	 * @param database has the tables
	 * @param interval the maximum time between two checks
	 * @param listens whether to receive notifications if the database is PostgreSQL; this
	 * occupies a connection
	 * @param check checks the tables, and may block
	 */
	public TableWatcher(JdbcDatabase database, Duration interval, boolean listens, Runnable check) {
		this.database = database;
		this.interval = interval;
		this.mayListen = listens;
		this.check = check;
	}

	@Override
	public void start() {
		this.task.start();
	}

	@Override
	public void stop() {
		this.task.stop(STOP_LIMIT);
	}

	@Override
	public boolean isRunning() {
		return this.task.isRunning();
	}

	private Duration interval() {
		return Duration.ofNanos(Math.round(this.interval.toNanos() * ThreadLocalRandom.current().nextDouble(0.8, 1)));
	}

	private void check() {
		try {
			this.check.run();
		}
		catch (Throwable ex) { // any other exception would end the thread
			logger.warn("Tables of Tierlimit were not checked for changes. The next check follows.", ex);
		}
	}

	private void run(BackgroundTask.Run run) {
		this.failureIsLogged = false;
		try {
			boolean due = !run.isEnding();
			while (due) {
				// Start to listen before the check, so that no change is missed in
				// between.
				listen();
				check();
				due = await(run);
			}
		}
		finally {
			close();
		}
	}

	private void listen() {
		if (!this.mayListen || this.listener != null) {
			return;
		}
		try {
			this.listener = this.database.listen();
			this.mayListen = this.listener != null;
			this.failureIsLogged = false;
		}
		catch (SQLException | RuntimeException ex) {
			log(ex);
		}
	}

	/** Waits until the next check is due. Returns false if the watcher stops. */
	private boolean await(BackgroundTask.Run run) {
		NotificationListener listening = this.listener;
		if (listening == null) {
			return run.pause(interval());
		}
		try {
			listening.await(interval(), run::isEnding);
			return !run.isEnding();
		}
		catch (SQLException ex) {
			close();
			log(ex);
		}
		if (!run.isEnding()) {
			check();
		}
		// The next attempt to listen follows after an interval.
		return run.pause(interval());
	}

	private void log(Exception failure) {
		if (!this.failureIsLogged) {
			this.failureIsLogged = true;
			logger.info("No notifications of the database are received: " + RetriedStep.cause(failure)
					+ ". Until notifications are received, changes of tables are found at intervals of "
					+ "tierlimit.jdbc.refresh.");
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
