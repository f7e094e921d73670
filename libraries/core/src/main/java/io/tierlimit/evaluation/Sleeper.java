package io.tierlimit.evaluation;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Lets a thread sleep until its permits are available. Tests replace it.
 */
@FunctionalInterface
public interface Sleeper {

	/**
	 * Returns when the time has passed.
	 * @param time how long to sleep
	 * @throws InterruptedException if the thread is interrupted before that
	 */
	void sleep(Duration time) throws InterruptedException;

	/**
	 * Creates a sleeper that uses the clock of the system.
	 * @return a sleeper that parks the thread
	 */
	static Sleeper system() {
		return (time) -> TimeUnit.NANOSECONDS.sleep(time.toNanos());
	}

}
