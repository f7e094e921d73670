package io.tierlimit.evaluation;

import java.time.Duration;
import java.util.concurrent.Semaphore;
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
	 * Suspends the current thread for a time, or until it receives a signal.
	 * @param time the maximum time to sleep
	 * @param signal has a permit after a signal; a signal may also come too early
	 * @throws InterruptedException if the thread is interrupted in this time
	 */
	@SuppressWarnings("ReturnValueIgnored")
	default void sleep(Duration time, Semaphore signal) throws InterruptedException {
		signal.tryAcquire(time.toNanos(), TimeUnit.NANOSECONDS);
	}

	/**
	 * The current time of the clock that measures {@link #sleep}.
	 * @return nanoseconds since any fixed time
	 */
	default long nanoTime() {
		return System.nanoTime();
	}

	/**
	 * Creates a sleeper that uses the clock of the system.
	 * @return a sleeper that parks the thread
	 */
	static Sleeper system() {
		return (time) -> TimeUnit.NANOSECONDS.sleep(time.toNanos());
	}

}
