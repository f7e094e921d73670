package io.tierlimit.evaluation;

import java.time.Duration;
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

	private final Duration settling;

	private volatile Period period = new Period(false, 0, 0, 0);

	/**
	 * Creates a schedule.
	 * @param settling how long {@link #hasJustBegun()} is true after the rule begins to
	 * apply
	 */
	ActiveSchedule(ActiveTimes times, InstantSource clock, Duration settling) {
		this.times = times;
		this.clock = clock;
		this.settling = settling;
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
		return period(this.clock.millis()).active;
	}

	/** Whether the rule has begun to apply only recently. */
	boolean hasJustBegun() {
		long now = this.clock.millis();
		return now < period(now).settled;
	}

	private Period period(long now) {
		Period current = this.period;
		if (now < current.start || now >= current.end) {
			current = periodFrom(now);
			this.period = current;
		}
		return current;
	}

	private Period periodFrom(long now) {
		Instant time = Instant.ofEpochMilli(now);
		Instant change = this.times.nextChange(time);
		// Rounded up, so that a period does not begin before its first millisecond.
		long end = (change != null) ? change.plusNanos(999_999).toEpochMilli() : Long.MAX_VALUE;
		boolean active = this.times.includes(time);
		Instant begin = active ? lastChange(time) : null;
		return new Period(active, now, end, (begin != null) ? begin.plus(this.settling).toEpochMilli() : 0);
	}

	/**
	 * The last change within the time of settling; {@code null} for none. Changes are
	 * found forwards only, so the search begins at earlier and earlier times.
	 */
	private @Nullable Instant lastChange(Instant time) {
		Duration back = Duration.ofMinutes(1);
		while (!this.settling.isZero()) {
			boolean all = back.compareTo(this.settling) >= 0;
			Instant change = this.times.nextChange(time.minus(all ? this.settling : back));
			Instant last = null;
			while (change != null && !change.isAfter(time)) {
				last = change;
				change = this.times.nextChange(change);
			}
			if (last != null || all) {
				return last;
			}
			back = back.multipliedBy(2);
		}
		return null;
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
	 * @param settled the first millisecond after the time of settling
	 */
	private record Period(boolean active, long start, long end, long settled) {

	}

}
