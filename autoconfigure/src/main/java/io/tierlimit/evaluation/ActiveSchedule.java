package io.tierlimit.evaluation;

import java.time.Instant;
import java.time.InstantSource;

import io.tierlimit.rule.ActiveTimes;
import org.jspecify.annotations.Nullable;

/**
 * Whether a rule applies now. The next change is calculated once, so that a request costs
 * a look at the clock.
 */
public final class ActiveSchedule {

	private final ActiveTimes times;

	private final InstantSource clock;

	private volatile Period period = new Period(false, 0, 0);

	ActiveSchedule(ActiveTimes times, InstantSource clock) {
		this.times = times;
		this.clock = clock;
	}

	/**
	 * The times.
	 * @return the times in which the rule applies
	 */
	public ActiveTimes times() {
		return this.times;
	}

	/**
	 * Whether the rule applies now.
	 * @return whether the time is one of the times
	 */
	public boolean isActive() {
		long now = this.clock.millis();
		Period current = this.period;
		if (now < current.start || now >= current.end) {
			current = periodFrom(now);
			this.period = current;
		}
		return current.active;
	}

	private Period periodFrom(long now) {
		Instant time = Instant.ofEpochMilli(now);
		Instant change = this.times.nextChange(time);
		// Rounded up, so that a period does not begin before its first millisecond.
		long end = (change != null) ? change.plusNanos(999_999).toEpochMilli() : Long.MAX_VALUE;
		return new Period(this.times.includes(time), now, end);
	}

	/**
	 * When that changes next.
	 * @return the moment, or {@code null} for never
	 */
	public @Nullable Instant nextChange() {
		return this.times.nextChange(this.clock.instant());
	}

	/**
	 * Whether the rule never applies again.
	 * @return whether all times are in the past
	 */
	public boolean isOver() {
		return this.times.isOver(this.clock.instant());
	}

	/**
	 * A time without a change.
	 *
	 * @param start the first millisecond since 1970
	 * @param end the first millisecond after it
	 */
	private record Period(boolean active, long start, long end) {

	}

}
