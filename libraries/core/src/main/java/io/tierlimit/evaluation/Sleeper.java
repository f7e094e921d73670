package io.tierlimit.evaluation;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Suspends a thread until its permits are available. Tests use other implementations.
 */
@FunctionalInterface
public interface Sleeper {

	/**
	 * Suspends the current thread for a time.
	 * @param time how long to sleep
	 * @throws InterruptedException if the thread is interrupted in this time
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
