package io.tierlimit.option.schedule;

import java.time.DayOfWeek;
import java.time.LocalDateTime;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A range of time on some days of each week, in local time.
 *
 * @param text the range in the format of the configuration
 * @param days the days on which the range begins
 * @param start the first minute of the range, counted from midnight
 * @param end the first minute after the range, up to 1,440. If the end is not after the
 * start, the range ends on the next day
 */
public record WeeklyRange(String text, Set<DayOfWeek> days, int start, int end) {

	private static final int MINUTES_OF_DAY = 24 * 60;

	private static final Pattern RANGE = Pattern
		.compile("(?:([A-Z]{3})(?:-([A-Z]{3}))? )?([01]\\d|2[0-3]):([0-5]\\d)-([01]\\d|2[0-4]):([0-5]\\d)");

	/**
	 * Creates a range.
	 */
	public WeeklyRange {
		days = Collections.unmodifiableSet(EnumSet.copyOf(days));
	}

	/**
	 * Reads a range.
	 * @param text days and times, such as {@code MON-FRI 08:00-18:00}; without days, the
	 * range begins on every day
	 * @return the range
	 * @throws IllegalArgumentException if the range is not valid
	 */
	public static WeeklyRange parse(String text) {
		Matcher range = RANGE.matcher(text.strip().toUpperCase(Locale.ROOT));
		if (!range.matches()) {
			throw invalid(text);
		}
		DayOfWeek first = (range.group(1) != null) ? day(range.group(1), text) : DayOfWeek.MONDAY;
		DayOfWeek last = (range.group(2) != null) ? day(range.group(2), text)
				: (range.group(1) != null) ? first : DayOfWeek.SUNDAY;
		EnumSet<DayOfWeek> days = EnumSet.of(last);
		for (DayOfWeek day = first; day != last; day = day.plus(1)) {
			days.add(day);
		}
		int start = minute(range.group(3), range.group(4));
		int end = minute(range.group(5), range.group(6));
		if (start == end || end > MINUTES_OF_DAY) {
			throw invalid(text);
		}
		return new WeeklyRange(text.strip(), days, start, end);
	}

	private static DayOfWeek day(String name, String text) {
		return Stream.of(DayOfWeek.values())
			.filter((day) -> day.name().startsWith(name))
			.findFirst()
			.orElseThrow(() -> invalid(text));
	}

	private static int minute(String hour, String minute) {
		return Integer.parseInt(hour) * 60 + Integer.parseInt(minute);
	}

	private static IllegalArgumentException invalid(String text) {
		return new IllegalArgumentException("schedule.weekly must be days and times such as MON-FRI 08:00-18:00, or "
				+ "SAT 22:00-06:00 until the next morning (was '" + text + "')");
	}

	boolean includes(LocalDateTime time) {
		int minute = time.getHour() * 60 + time.getMinute();
		boolean today = this.days.contains(time.getDayOfWeek());
		if (this.start < this.end) {
			return today && this.start <= minute && minute < this.end;
		}
		boolean yesterday = this.days.contains(time.getDayOfWeek().minus(1));
		return (today && this.start <= minute) || (yesterday && minute < this.end);
	}

	/**
	 * The range in the format of the configuration.
	 */
	@Override
	public String toString() {
		return this.text;
	}

}
