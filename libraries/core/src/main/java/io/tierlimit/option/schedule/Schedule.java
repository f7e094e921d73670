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
 * The times in which a rule applies: those that are in a range, and in a weekly range.
 * Weekly ranges are in the local time of the zone, so when clocks are set back, an hour
 * that occurs twice is in the range twice, and when they are set forward, an hour that is
 * skipped is never in it.
 *
 * @param ranges ranges of time; empty for all times
 * @param weekly weekly ranges; empty for all times
 * @param zone the zone of weekly ranges
 */
public record Schedule(List<TimeRange> ranges, List<WeeklyRange> weekly, ZoneId zone) implements OptionValue {

	/**
	 * Weekly ranges change at least once in this time, if they change at all: even if one
	 * week has none of them, because clocks are set forward.
	 */
	private static final Duration HORIZON = Duration.ofDays(15);

	/**
	 * Creates times.
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
	 * Whether a moment is in these times.
	 * @param time the moment
	 * @return whether the rule applies
	 */
	public boolean includes(Instant time) {
		if (!this.ranges.isEmpty() && this.ranges.stream().noneMatch((range) -> range.includes(time))) {
			return false;
		}
		LocalDateTime local = LocalDateTime.ofInstant(time, this.zone);
		return this.weekly.isEmpty() || this.weekly.stream().anyMatch((range) -> range.includes(local));
	}

	/**
	 * When these times begin or end next.
	 * @param time a moment
	 * @return the first moment after it that is in these times, if it is not, or the
	 * reverse; {@code null} if there is none
	 */
	public @Nullable Instant nextChange(Instant time) {
		boolean included = includes(time);
		Instant from = time;
		while (from != null) {
			for (Instant moment : weeklyMoments(from)) {
				if (includes(moment) != included) {
					return moment;
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
	 * Whether the last of these times has ended.
	 * @param time a moment
	 * @return whether neither this moment nor a later one is in these times
	 */
	public boolean isOver(Instant time) {
		return !includes(time) && nextChange(time) == null;
	}

	/** The moments at which a range begins or ends. */
	private Stream<Instant> limits() {
		return this.ranges.stream().flatMap((range) -> Stream.of(range.start(), range.end())).filter(Objects::nonNull);
	}

	/**
	 * The moments within the horizon at which a weekly range may begin or end, up to the
	 * next limit of a range.
	 */
	private TreeSet<Instant> weeklyMoments(Instant from) {
		TreeSet<Instant> moments = new TreeSet<>();
		if (this.weekly.isEmpty()) {
			return moments;
		}
		Instant end = limits().filter(from::isBefore).min(Instant::compareTo).orElse(Instant.MAX);
		ZoneRules rules = this.zone.getRules();
		LocalDate first = LocalDate.ofInstant(from, this.zone);
		for (long day = 0; day <= HORIZON.toDays(); day++) {
			LocalDateTime midnight = first.plusDays(day).atStartOfDay();
			for (WeeklyRange range : this.weekly) {
				for (int minute : new int[] { range.start(), range.end() }) {
					LocalDateTime time = midnight.plusMinutes(minute);
					for (ZoneOffset offset : rules.getValidOffsets(time)) {
						moments.add(time.toInstant(offset));
					}
				}
			}
		}
		ZoneOffsetTransition change = rules.nextTransition(from);
		while (change != null && change.getInstant().isBefore(from.plus(HORIZON))) {
			moments.add(change.getInstant());
			change = rules.nextTransition(change.getInstant());
		}
		moments.removeIf((moment) -> !moment.isAfter(from) || moment.isAfter(end));
		return moments;
	}

}
