package io.tierlimit.actuate;

import java.time.Instant;
import java.util.List;

import io.tierlimit.option.schedule.ActiveSchedule;
import io.tierlimit.rule.ActiveTimes;
import org.jspecify.annotations.Nullable;

/**
 * When a rule applies.
 *
 * @param now whether it applies now
 * @param nextChange when that changes; absent for never
 * @param ranges ranges of time; empty for all times
 * @param weekly weekly ranges; empty for all times
 * @param zone the time zone of weekly ranges
 */
record ActiveDescriptor(boolean now, @Nullable Instant nextChange, List<String> ranges, List<String> weekly,
		String zone) {

	static @Nullable ActiveDescriptor of(@Nullable ActiveSchedule schedule) {
		if (schedule == null) {
			return null;
		}
		ActiveTimes times = schedule.times();
		return new ActiveDescriptor(schedule.isActive(), schedule.nextChange(),
				times.ranges().stream().map(Object::toString).toList(),
				times.weekly().stream().map(Object::toString).toList(), times.zone().getId());
	}

}
