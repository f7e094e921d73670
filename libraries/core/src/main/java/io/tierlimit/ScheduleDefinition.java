package io.tierlimit;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The times in which a {@link RuleDefinition} applies. If ranges and weekly ranges are
 * set, the rule applies only while both do. The values are validated with the rule, at
 * startup.
 *
 * @param ranges pairs of date-times, each with a slash, such as
 * {@code 2026-11-27T00:00/2026-12-01T00:00}; {@code ..} instead of a date-time means no
 * start or no end. Empty for all times
 * @param weekly days and times, such as {@code MON-FRI 08:00-18:00}; empty for all times
 * @param zone the time zone of weekly ranges and of date-times without one, such as
 * {@code Europe/Berlin}; {@code null} if there are none
 */
public record ScheduleDefinition(List<String> ranges, List<String> weekly, @Nullable String zone) {

	/**
	 * Creates a definition.
	 */
	public ScheduleDefinition {
		ranges = List.copyOf(ranges);
		weekly = List.copyOf(weekly);
	}

	/**
	 * Creates a definition of weekly ranges.
	 * @param zone the time zone, such as {@code Europe/Berlin}
	 * @param weekly days and times, such as {@code MON-FRI 08:00-18:00}
	 * @return the definition
	 */
	public static ScheduleDefinition weekly(String zone, String... weekly) {
		return new ScheduleDefinition(List.of(), List.of(weekly), zone);
	}

}
