package io.tierlimit.audit.jdbc;

import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.tierlimit.jdbc.RetriedStep;
import io.tierlimit.logging.OnceLogger;
import io.tierlimit.store.Ticker;
import io.tierlimit.task.BackgroundTask;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.context.SmartLifecycle;
import org.springframework.dao.DataIntegrityViolationException;

/**
 * Writes the queued rejections to the table, and deletes old rows. In each interval, its
 * thread writes one batch and deletes one batch. The writer starts before the web server,
 * and stops after it.
 */
public final class AuditWriter implements SmartLifecycle {

	private static final Log logger = LogFactory.getLog(AuditWriter.class);

	/**
	 * The time between two searches for old rows if the first finds less than a batch.
	 */
	private static final long SEARCH_INTERVAL = TimeUnit.MINUTES.toMicros(1);

	/** The time between two warnings of dropped rejections. */
	private static final long WARNING_INTERVAL = TimeUnit.MINUTES.toMicros(1);

	private final RejectionQueue queue;

	private final RejectionTable table;

	private final AuditOptions options;

	private final Ticker ticker;

	private final InstantSource clock;

	private final Duration stopLimit;

	private final OnceLogger misfits = new OnceLogger(AuditWriter.class);

	private final RetriedStep writing = new RetriedStep(
			"Rejections cannot be written to the table tierlimit_rejection, and wait in memory",
			"Rejections are written to the table tierlimit_rejection again", this::writeBatch);

	private final RetriedStep deleting = new RetriedStep("Old rows of the table tierlimit_rejection cannot be deleted",
			"Old rows of the table tierlimit_rejection are deleted again", this::deleteBatch);

	private long nextSearch = Long.MIN_VALUE;

	private long nextWarning = Long.MIN_VALUE;

	private long droppedBefore;

	private final BackgroundTask task = new BackgroundTask("tierlimit-audit", this::run);

	/**
	 * Creates a writer, which does not connect before it is started.
	 * @param queue the rejections to write
	 * @param table the table
	 * @param options the sizes and times
	 * @param ticker the clock of attempts and warnings
	 * @param clock the current time, which determines the age of rows
	 * @param stopLimit the maximum time that {@link #stop()} waits for the database
	 */
	public AuditWriter(RejectionQueue queue, RejectionTable table, AuditOptions options, Ticker ticker,
			InstantSource clock, Duration stopLimit) {
		this.queue = queue;
		this.table = table;
		this.options = options;
		this.ticker = ticker;
		this.clock = clock;
		this.stopLimit = stopLimit;
	}

	/** Writes a batch and deletes a batch, if each is due. */
	void run() {
		long now = this.ticker.ticks();
		boolean reachable = this.writing.run(now);
		if (reachable && !this.options.retention().isZero() && now >= this.nextSearch) {
			this.deleting.run(now);
		}
		if (this.queue.dropped() > this.droppedBefore && now >= this.nextWarning) {
			warnOfDropped();
			this.nextWarning = now + WARNING_INTERVAL;
		}
	}

	private void warnOfDropped() {
		long dropped = this.queue.dropped();
		logger.warn((dropped - this.droppedBefore)
				+ " rejections are missing in the table tierlimit_rejection, because " + this.options.queueCapacity()
				+ " others waited to be written, or the table did not accept them. Check the database. If it works, "
				+ "there are more rejections than can be written (" + this.options.batchSize() + " rows in "
				+ this.options.interval().toMillis() + " ms). This is logged at most once a minute.");
		this.droppedBefore = dropped;
	}

	private void writeBatch() {
		List<Rejection> batch = this.queue.oldest(this.options.batchSize());
		if (batch.isEmpty()) {
			return;
		}
		try {
			this.table.insert(batch);
			this.queue.remove(batch.size());
		}
		catch (DataIntegrityViolationException ex) {
			batch.forEach(this::write);
		}
	}

	/** Writes one rejection, or drops it if it does not fit into the table. */
	private void write(Rejection rejection) {
		try {
			this.table.insert(List.of(rejection));
		}
		catch (DataIntegrityViolationException ex) {
			this.queue.drop(1);
			this.misfits.warn("A rejection does not fit into the table tierlimit_rejection, and is not stored ("
					+ state(ex) + "). Compare the table with the script of Tierlimit. Further such failures are not "
					+ "logged.");
		}
		this.queue.remove(1);
	}

	/**
	 * The SQL state of a failure. The message of the database is not logged, because it
	 * may contain the row, which has personal data.
	 */
	private static String state(DataIntegrityViolationException failure) {
		return (failure.getMostSpecificCause() instanceof SQLException cause) ? "SQL state " + cause.getSQLState()
				: failure.getClass().getName();
	}

	private void deleteBatch() {
		int found = this.table.deleteBefore(this.clock.instant().minus(this.options.retention()),
				this.options.batchSize());
		if (found < this.options.batchSize()) {
			this.nextSearch = this.ticker.ticks() + SEARCH_INTERVAL;
		}
	}

	@Override
	public void start() {
		this.task.start();
	}

	/**
	 * Writes the waiting rejections until the queue is empty, the database does not
	 * accept them, or the time limit has passed.
	 */
	@Override
	public void stop() {
		if (!this.task.isRunning()) {
			return;
		}
		if (!this.task.stop(this.stopLimit)) {
			this.task.interrupt();
		}
		if (this.queue.size() > 0) {
			logger.warn(this.queue.size() + " rejections are missing in the table tierlimit_rejection, because the "
					+ "application stops and they could not be written in time.");
		}
	}

	private void run(BackgroundTask.Run run) {
		while (run.pause(this.options.interval())) {
			run();
		}
		boolean written = true;
		while (written && this.queue.size() > 0 && !Thread.currentThread().isInterrupted()) {
			written = this.writing.attempt(this.ticker.ticks());
		}
	}

	@Override
	public boolean isRunning() {
		return this.task.isRunning();
	}

	/** Lower than the phases of the web server, so that the web server stops first. */
	@Override
	public int getPhase() {
		return DEFAULT_PHASE - 4096;
	}

}
