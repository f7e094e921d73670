package io.tierlimit.spi;

import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * The clock of the in-memory store. A test replaces it by one of its own.
 */
@FunctionalInterface
public interface Ticker {

	/**
	 * The present moment. One that runs backwards counts as standing still, for new keys
	 * too: it should not.
	 * @return microseconds since any fixed moment; the system's since the epoch
	 */
	long ticks();

	/**
	 * The epoch at the time of this call plus the time that has passed since: setting the
	 * wall clock doesn't touch it.
	 * @return a ticker that only runs forward
	 */
	static Ticker system() {
		long epoch = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
		long origin = System.nanoTime();
		return () -> epoch + (System.nanoTime() - origin) / 1000;
	}

}
