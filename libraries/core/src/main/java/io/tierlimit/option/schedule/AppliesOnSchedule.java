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

	/** Whether the rule applies. */
	private volatile Period applying = Period.NONE;

	/**
	 * Whether the rule has begun or ceased to apply within the settling time, which is
	 * the same in all calls.
	 */
	private volatile Period settling = Period.NONE;

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
		long now = this.clock.millis();
		Period current = this.applying;
		if (!current.contains(now)) {
			Instant time = Instant.ofEpochMilli(now);
			current = Period.of(this.schedule.includes(time), now, this.schedule.nextChange(time));
			this.applying = current;
		}
		return current.active;
	}

	/** Whether the rule has begun to apply within the given time before now. */
	@Override
	public boolean hasTightened(long ticks, ChargeFacts facts) {
		long now = this.clock.millis();
		Period current = this.settling;
		if (!current.contains(now)) {
			Instant time = Instant.ofEpochMilli(now);
			Duration within = Duration.of(ticks, ChronoUnit.MICROS);
			Instant change = this.schedule.nextChange(time.minus(within));
			current = (change != null && !change.isAfter(time)) ? Period.of(true, now, change.plus(within))
					: Period.of(false, now, change);
			this.settling = current;
		}
		return current.active && isActive();
	}

	@Override
	public void describe(Map<String, Object> description) {
		Map<String, Object> schedule = new LinkedHashMap<>();
		schedule.put("now", isActive());
		RuleOption.put(schedule, "nextChange", this.schedule.nextChange(this.clock.instant()));
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

		private static final Period NONE = new Period(false, 0, 0);

		/** Creates a period that ends with a change, or never. */
		static Period of(boolean active, long start, @Nullable Instant change) {
			// Rounded up, so that the next period does not begin before the change.
			return new Period(active, start,
					(change != null) ? change.plusNanos(999_999).toEpochMilli() : Long.MAX_VALUE);
		}

		boolean contains(long time) {
			return this.start <= time && time < this.end;
		}

	}

}
