package io.tierlimit.option.schedule;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.List;
import java.util.Objects;
import java.util.TreeSet;
import java.util.stream.Stream;

import io.tierlimit.rule.OptionValue;
import org.jspecify.annotations.Nullable;

/**
 * The times in which a rule applies. If ranges and weekly ranges are set, a time must be
 * in both. Weekly ranges are in the local time of the zone. When clocks are set back, an
 * hour that occurs twice is in a weekly range twice. When clocks are set forward, the
 * skipped hour is never in a weekly range.
 *
 * @param ranges ranges of time; empty for all times
 * @param weekly weekly ranges; empty for all times
 * @param zone the zone of weekly ranges
 */
public record Schedule(List<TimeRange> ranges, List<WeeklyRange> weekly, ZoneId zone) implements OptionValue {

	/**
	 * If weekly ranges begin or end at all, they do so at least once in this time, even
	 * if one week has no range because clocks are set forward.
	 */
	private static final Duration HORIZON = Duration.ofDays(15);

	/**
	 * Creates a schedule.
	 */
	public Schedule {
		ranges = List.copyOf(ranges);
		weekly = List.copyOf(weekly);
	}

	@Override
	public boolean mayRejectMore(@Nullable OptionValue before, @Nullable OptionValue after) {
		return true;
	}

	/**
	 * Whether the rule applies at a time.
	 * @param time the time
	 * @return whether the schedule includes the time
	 */
	boolean includes(Instant time) {
		if (!this.ranges.isEmpty() && this.ranges.stream().noneMatch((range) -> range.includes(time))) {
			return false;
		}
		LocalDateTime local = LocalDateTime.ofInstant(time, this.zone);
		return this.weekly.isEmpty() || this.weekly.stream().anyMatch((range) -> range.includes(local));
	}

	/**
	 * Finds the next time at which the rule begins or ceases to apply.
	 * @param time a time
	 * @return the next change after this time; {@code null} if there is none
	 */
	@Nullable Instant nextChange(Instant time) {
		boolean included = includes(time);
		Instant from = time;
		while (from != null) {
			for (Instant change : weeklyTimes(from)) {
				if (includes(change) != included) {
					return change;
				}
			}
			Instant start = from;
			from = limits().filter(start::isBefore).min(Instant::compareTo).orElse(null);
			if (from != null && includes(from) != included) {
				return from;
			}
		}
		return null;
	}

	/**
	 * Whether the rule never applies again.
	 * @param time a time
	 * @return whether the schedule includes neither this time nor a later one
	 */
	boolean isOver(Instant time) {
		return !includes(time) && nextChange(time) == null;
	}

	/** The times at which a range begins or ends. */
	private Stream<Instant> limits() {
		return this.ranges.stream().flatMap((range) -> Stream.of(range.start(), range.end())).filter(Objects::nonNull);
	}

	/**
	 * The times within the horizon at which a weekly range may begin or end, up to the
	 * next beginning or end of a range.
	 */
	private TreeSet<Instant> weeklyTimes(Instant from) {
		TreeSet<Instant> times = new TreeSet<>();
		if (this.weekly.isEmpty()) {
			return times;
		}
		Instant end = limits().filter(from::isBefore).min(Instant::compareTo).orElse(Instant.MAX);
		ZoneRules rules = this.zone.getRules();
		LocalDate first = LocalDate.ofInstant(from, this.zone);
		for (long day = 0; day <= HORIZON.toDays(); day++) {
			LocalDateTime midnight = first.plusDays(day).atStartOfDay();
			for (WeeklyRange range : this.weekly) {
				for (int minute : new int[] { range.start(), range.end() }) {
					LocalDateTime local = midnight.plusMinutes(minute);
					for (ZoneOffset offset : rules.getValidOffsets(local)) {
						times.add(local.toInstant(offset));
					}
				}
			}
		}
		ZoneOffsetTransition change = rules.nextTransition(from);
		while (change != null && change.getInstant().isBefore(from.plus(HORIZON))) {
			times.add(change.getInstant());
			change = rules.nextTransition(change.getInstant());
		}
		times.removeIf((time) -> !time.isAfter(from) || time.isAfter(end));
		return times;
	}

}
