package io.tierlimit.test;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.atomic.AtomicLong;

import io.tierlimit.store.Ticker;

/**
 * A clock that stands still until a test advances it. In-memory buckets use this clock.
 * Buckets in Redis do not use it, because Redis has its own clock. Thread-safe.
 *
 * @see AutoConfigureSimulatedTicker
 */
public final class SimulatedTicker implements Ticker {

	private final AtomicLong ticks;

	/**
	 * Creates a clock that starts at 1970-01-01T00:00Z.
	 */
	public SimulatedTicker() {
		this(Instant.EPOCH);
	}

	/**
	 * Creates a clock.
	 * @param start the initial time, rounded down to microseconds. Choose it relative to
	 * the start of windows if a rule has fixed windows
	 */
	public SimulatedTicker(Instant start) {
		this.ticks = new AtomicLong(ticks(Duration.between(Instant.EPOCH, start)));
	}

	@Override
	public long ticks() {
		return this.ticks.get();
	}

	/**
	 * Returns the current time.
	 * @return the initial time plus all durations by which the clock was advanced
	 */
	public Instant instant() {
		return Instant.EPOCH.plus(ticks(), ChronoUnit.MICROS);
	}

	/**
	 * Advances the clock.
	 * @param duration the duration, rounded down to microseconds
	 * @throws IllegalArgumentException if the duration is negative
	 */
	public void advance(Duration duration) {
		if (duration.isNegative()) {
			throw new IllegalArgumentException("The duration must not be negative (was " + duration
					+ "): the clock only runs forward. Use your own Ticker to test a clock that is set back.");
		}
		this.ticks.addAndGet(ticks(duration));
	}

	private static long ticks(Duration duration) {
		return duration.toSeconds() * 1_000_000 + duration.toNanosPart() / 1000;
	}

	@Override
	public String toString() {
		return instant().toString();
	}

}
