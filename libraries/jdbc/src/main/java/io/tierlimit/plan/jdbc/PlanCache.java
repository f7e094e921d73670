package io.tierlimit.plan.jdbc;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.tierlimit.evaluation.PlanSource;
import io.tierlimit.jdbc.RetriedStep;
import io.tierlimit.spi.Caller;
import io.tierlimit.store.Ticker;
import io.tierlimit.task.BackgroundTask;
import org.jspecify.annotations.Nullable;

import org.springframework.context.SmartLifecycle;
import org.springframework.util.ConcurrentLruCache;

/**
 * The plans of the users with the most recent requests. Threads of requests read and add
 * entries, and never wait for the database. A background thread reads the plans of new
 * users, and of users whose plan has expired. Until the plan has been read again, a user
 * has the previous plan. The thread starts before the web server, and stops after it.
 */
public final class PlanCache implements PlanSource, SmartLifecycle {

	/** The maximum number of users that one statement reads. */
	private static final int MAX_BATCH = 500;

	/**
	 * The maximum number of users that wait to be read. Further users are added by their
	 * next request.
	 */
	private static final int MAX_REQUESTED = 10_000;

	/**
	 * The maximum time until the thread detects the end of the application or of an
	 * outage.
	 */
	private static final Duration SLICE = Duration.ofMillis(200);

	/** The maximum time that {@link #stop()} waits for the database. */
	private static final Duration STOP_LIMIT = Duration.ofSeconds(5);

	/** The time after which a plan is read again. */
	private static final Duration EXPIRY = Duration.ofSeconds(60);

	private static final int MAX_USERS = 100_000;

	private final PlanTable table;

	private final Ticker ticker;

	/** The time after which a plan is read again, in ticks. */
	private final long expiry;

	private final ConcurrentLruCache<String, CachedPlan> users;

	private final BlockingQueue<CachedPlan> requested = new LinkedBlockingQueue<>(MAX_REQUESTED);

	private final RetriedStep reading = new RetriedStep(
			"The table tierlimit_user_plan cannot be read, so users have the plans that were read before",
			"The table tierlimit_user_plan can be read again", this::readBatch);

	/** The plans that are being read. Only the background thread uses the list. */
	private final List<CachedPlan> batch = new ArrayList<>();

	private boolean lastReadingSucceeded;

	private final BackgroundTask task = new BackgroundTask("tierlimit-plans", this::run);

	/**
	 * Creates an empty cache for the plans of up to 100,000 users. A plan is read again
	 * after 60 seconds.
	 * @param table the table
	 * @param ticker the clock of the expiry
	 */
	public PlanCache(PlanTable table, Ticker ticker) {
		this(table, ticker, EXPIRY, MAX_USERS);
	}

	/**
	 * Creates an empty cache.
	 * @param table the table
	 * @param ticker the clock of the expiry
	 * @param expiry the time after which a plan is read again
	 * @param maxUsers the maximum number of users, 1 or more
	 */
	PlanCache(PlanTable table, Ticker ticker, Duration expiry, int maxUsers) {
		this.table = table;
		this.ticker = ticker;
		this.expiry = TimeUnit.NANOSECONDS.toMicros(expiry.toNanos());
		this.users = new ConcurrentLruCache<>(maxUsers, CachedPlan::new);
	}

	@Override
	public @Nullable String planOf(Caller caller) {
		String user = caller.user();
		if (user == null || user.length() > PlanTable.MAX_NAME) {
			return null;
		}
		CachedPlan known = this.users.get(user);
		if (known.request(this.ticker.ticks()) && !this.requested.offer(known)) {
			known.withdraw();
		}
		return known.plan();
	}

	@Override
	public @Nullable String problem() {
		return this.reading.problem();
	}

	int size() {
		return this.users.size();
	}

	/**
	 * Reads the plans of waiting users, at most one batch. The first call, and the first
	 * call after a failure, read the table even if no user waits. Otherwise a missing
	 * table would not be reported, and an outage would seem to have ended.
	 */
	void readRequested() {
		this.reading.run(this.ticker.ticks());
	}

	private void readBatch() {
		this.requested.drainTo(this.batch, MAX_BATCH - this.batch.size());
		if (this.batch.isEmpty() && this.lastReadingSucceeded) {
			return;
		}
		this.lastReadingSucceeded = false;
		try {
			readPlans();
			this.lastReadingSucceeded = true;
		}
		catch (RuntimeException | Error ex) {
			this.batch.forEach(CachedPlan::withdraw);
			throw ex;
		}
		finally {
			this.batch.clear();
		}
	}

	private void readPlans() {
		Map<String, String> plans = this.table.read(this.batch.stream().map(CachedPlan::user).toList());
		long expires = this.ticker.ticks() + this.expiry;
		this.batch.forEach((user) -> user.set(plans.get(user.user()), expires));
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

	/** Lower than the phases of the web server, so that the web server stops first. */
	@Override
	public int getPhase() {
		return DEFAULT_PHASE - 4096;
	}

	private void run(BackgroundTask.Run run) {
		boolean due = !run.isEnding();
		while (due) {
			readRequested();
			due = (problem() != null) ? run.pause(SLICE) : awaitUser(run);
		}
	}

	private boolean awaitUser(BackgroundTask.Run run) {
		try {
			CachedPlan first = this.requested.poll(SLICE.toMillis(), TimeUnit.MILLISECONDS);
			if (first != null) {
				this.batch.add(first);
			}
		}
		catch (InterruptedException ex) {
			// The next step follows.
		}
		return !run.isEnding();
	}

}
