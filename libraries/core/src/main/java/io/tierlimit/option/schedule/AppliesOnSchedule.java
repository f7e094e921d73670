package io.tierlimit.option.schedule;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;

import io.tierlimit.option.ChargeFacts;
import io.tierlimit.option.RuleOption;
import org.jspecify.annotations.Nullable;

/**
 * Determines whether a rule applies now. The next change is calculated in advance, so
 * that a request requires only the current time.
 */
public final class AppliesOnSchedule implements RuleOption {

	private final Schedule schedule;

	private final InstantSource clock;

	private volatile Period period = new Period(false, 0, 0);

	/**
	 * The last result of {@link #hasTightened}, which a rule always calls with the same
	 * number of ticks.
	 */
	private volatile @Nullable Beginning beginning;

	/**
	 * Creates the option of a rule.
	 * @param schedule the times at which the rule applies
	 * @param clock returns the current time
	 */
	public AppliesOnSchedule(Schedule schedule, InstantSource clock) {
		this.schedule = schedule;
		this.clock = clock;
	}

	@Override
	public boolean isActive() {
		return period(this.clock.millis()).active;
	}

	/** Whether the rule has begun to apply within the given time before now. */
	@Override
	public boolean hasTightened(long ticks, ChargeFacts facts) {
		long now = this.clock.millis();
		Period current = period(now);
		Beginning known = this.beginning;
		if (known == null || !known.period.equals(current) || known.ticks != ticks) {
			known = new Beginning(current, ticks, settled(current, Duration.of(ticks, ChronoUnit.MICROS)));
			this.beginning = known;
		}
		return now < known.settled;
	}

	/**
	 * The first millisecond after the settling time that follows the beginning of the
	 * rule's time; 0 if the beginning is longer ago.
	 */
	private long settled(Period current, Duration settling) {
		Instant begin = current.active ? lastChange(Instant.ofEpochMilli(current.start), settling) : null;
		return (begin != null) ? begin.plus(settling).toEpochMilli() : 0;
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
		Instant change = this.schedule.nextChange(time);
		// Rounded up, so that the next period does not begin before the change.
		long end = (change != null) ? change.plusNanos(999_999).toEpochMilli() : Long.MAX_VALUE;
		return new Period(this.schedule.includes(time), now, end);
	}

	/**
	 * The last change within the settling time; {@code null} for none. A schedule only
	 * finds the next change after a time, so the search is repeated from earlier and
	 * earlier times.
	 */
	private @Nullable Instant lastChange(Instant time, Duration settling) {
		Duration back = Duration.ofMinutes(1);
		while (!settling.isZero()) {
			boolean all = back.compareTo(settling) >= 0;
			Instant change = this.schedule.nextChange(time.minus(all ? settling : back));
			Instant last = null;
			while (change != null && !change.isAfter(time)) {
				last = change;
				change = this.schedule.nextChange(change);
			}
			if (last != null || all) {
				return last;
			}
			back = back.multipliedBy(2);
		}
		return null;
	}

	@Override
	public void describe(Map<String, Object> description) {
		Map<String, Object> schedule = new LinkedHashMap<>();
		schedule.put("now", isActive());
		Instant change = this.schedule.nextChange(this.clock.instant());
		if (change != null) {
			schedule.put("nextChange", change);
		}
		schedule.put("ranges", this.schedule.ranges().stream().map(Object::toString).toList());
		schedule.put("weekly", this.schedule.weekly().stream().map(Object::toString).toList());
		schedule.put("zone", this.schedule.zone().getId());
		description.put("schedule", schedule);
	}

	/**
	 * Whether the rule never applies again.
	 * @return whether all times are in the past
	 */
	public boolean isOver() {
		return this.schedule.isOver(this.clock.instant());
	}

	/**
	 * A period without a change.
	 *
	 * @param start the first millisecond of the period, since 1970
	 * @param end the first millisecond after the period
	 */
	private record Period(boolean active, long start, long end) {

	}

	/**
	 * The beginning of a period.
	 *
	 * @param ticks the settling time, in which rejections are not counted for bans
	 * @param settled the first millisecond after the settling time
	 */
	private record Beginning(Period period, long ticks, long settled) {

	}

}
