package io.tierlimit.store;

import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * The clock of the store in memory. Tests replace it.
 */
@FunctionalInterface
public interface Ticker {

	/**
	 * The current time. If the clock runs backwards, no permits are earned until it has
	 * reached its earlier time again.
	 * @return microseconds since any fixed time; for the system clock, since the epoch
	 */
	long ticks();

	/**
	 * Creates a ticker that starts with the time since the epoch and never runs
	 * backwards, even if the wall clock is set.
	 * @return the system clock
	 */
	static Ticker system() {
		long epoch = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
		long origin = System.nanoTime();
		return () -> epoch + (System.nanoTime() - origin) / 1000;
	}

}
