package io.tierlimit.spi;

import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * The clock of the store in memory. Tests replace it.
 */
@FunctionalInterface
public interface Ticker {

	/**
	 * The current time. If it runs backwards, no permits are earned until it has caught
	 * up.
	 * @return microseconds since any fixed moment; the system's since the epoch
	 */
	long ticks();

	/**
	 * Creates a ticker that starts with the time since the epoch and then only runs
	 * forward, also if the wall clock is set.
	 * @return the clock of the system
	 */
	static Ticker system() {
		long epoch = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
		long origin = System.nanoTime();
		return () -> epoch + (System.nanoTime() - origin) / 1000;
	}

}
