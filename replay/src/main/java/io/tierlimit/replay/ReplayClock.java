package io.tierlimit.replay;

import java.time.Clock;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;

import io.tierlimit.store.Ticker;

/**
 * A clock that shows the time of the request that is replayed. It does not run backwards.
 */
final class ReplayClock implements Ticker {

	private long ticks = Long.MIN_VALUE;

	void advanceTo(Instant time) {
		this.ticks = Math.max(this.ticks, ticks(time));
	}

	/** Microseconds since 1970, rounded down. */
	static long ticks(Instant time) {
		return time.getEpochSecond() * 1_000_000 + time.getNano() / 1000;
	}

	/** A clock that shows the same time as an instant. */
	Clock calendar() {
		InstantSource time = () -> Instant.EPOCH.plus(ticks(), ChronoUnit.MICROS);
		return time.withZone(ZoneOffset.UTC);
	}

	@Override
	public long ticks() {
		return (this.ticks == Long.MIN_VALUE) ? 0 : this.ticks;
	}

}
