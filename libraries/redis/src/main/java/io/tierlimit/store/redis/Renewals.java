package io.tierlimit.store.redis;

import java.time.Duration;
import java.util.List;

import io.tierlimit.task.BackgroundTask;

/**
 * The one thread that renews what this instance has in Redis for a limited time, such as
 * its {@link Membership}.
 */
final class Renewals {

	/** The time between two renewals. */
	static final Duration INTERVAL = Duration.ofSeconds(10);

	/** How long {@link #stop()} waits. */
	private static final Duration STOP_LIMIT = Duration.ofSeconds(1);

	private final List<Renewable> all;

	private final BackgroundTask task = new BackgroundTask("tierlimit-redis-renewal", this::run);

	/**
	 * Creates renewals, which have no thread before they are started.
	 * @param all what is renewed; without any, there is never a thread
	 */
	Renewals(List<Renewable> all) {
		this.all = all;
	}

	/**
	 * Renews all at once, and then after each interval, unless they are renewed already.
	 */
	void start() {
		if (!this.all.isEmpty()) {
			this.task.start();
		}
	}

	/** Stops renewing, and ends all. Waits for a second at most. */
	void stop() {
		this.task.stop(STOP_LIMIT);
	}

	private void run(BackgroundTask.Run run) {
		do {
			this.all.forEach(Renewable::renew);
		}
		while (run.pause(INTERVAL));
		this.all.forEach(Renewable::end);
	}

	/**
	 * Something that ends unless it is renewed. Its methods throw no exceptions.
	 */
	interface Renewable {

		/** Begins or renews it. */
		void renew();

		/** Ends it before its time. */
		void end();

	}

}
