package io.tierlimit.store.redis;

import java.time.Duration;
import java.util.List;

import io.tierlimit.task.BackgroundTask;

/**
 * The thread that renews the entries of this instance in Redis that end after some time,
 * such as its membership.
 */
final class Renewals {

	/** The time between two renewals. */
	static final Duration INTERVAL = Duration.ofSeconds(10);

	/** The time from a renewal to the end of an entry that is not renewed again. */
	static final Duration LIFE = INTERVAL.multipliedBy(3);

	/** The minimum time between the end of a renewal and the next one. */
	private static final Duration MIN_PAUSE = Duration.ofSeconds(1);

	/** The maximum time that {@link #stop()} waits. */
	private static final Duration STOP_LIMIT = Duration.ofSeconds(1);

	private final List<Renewable> all;

	private final BackgroundTask task = new BackgroundTask("tierlimit-redis-renewal", this::run);

	/**
	 * Creates renewals. The thread starts with {@link #start()}.
	 * @param all the entries to renew; if there are none, no thread is started
	 */
	Renewals(List<Renewable> all) {
		this.all = all;
	}

	/**
	 * Renews all entries immediately, and then after each interval. Has no effect if the
	 * thread is running.
	 */
	void start() {
		if (!this.all.isEmpty()) {
			this.task.start();
		}
	}

	/** Stops the renewals, and ends all entries. Waits for at most a second. */
	void stop() {
		this.task.stop(STOP_LIMIT);
	}

	private void run(BackgroundTask.Run run) {
		while (!run.isEnding()) {
			long begun = System.nanoTime();
			this.all.forEach(Renewable::renew);
			run.pause(timeToNext(begun));
		}
		// The entries belong to the next run, if there is one.
		if (!this.task.isRunning()) {
			this.all.forEach(Renewable::end);
		}
	}

	/** A renewal that takes long does not delay the next one. */
	private static Duration timeToNext(long begun) {
		Duration left = INTERVAL.minusNanos(System.nanoTime() - begun);
		return (left.compareTo(MIN_PAUSE) > 0) ? left : MIN_PAUSE;
	}

	/**
	 * An entry that ends unless it is renewed. One thread at a time calls the methods,
	 * which do not throw exceptions.
	 */
	interface Renewable {

		/** Begins or renews the entry. */
		void renew();

		/** Ends the entry early. */
		void end();

	}

}
