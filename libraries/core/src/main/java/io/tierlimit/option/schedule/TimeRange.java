package io.tierlimit.option.schedule;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.temporal.TemporalAccessor;
import java.time.zone.ZoneOffsetTransition;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * A range of time.
 *
 * @param start the first instant, or {@code null} for no start
 * @param end the first instant after the range, or {@code null} for no end
 */
public record TimeRange(@Nullable Instant start, @Nullable Instant end) {

	private static final String OPEN = "..";

	private static final int LAST_YEAR = 9999;

	/**
	 * Creates a range.
	 * @throws IllegalArgumentException if the range has neither a start nor an end, or
	 * does not end after its start
	 */
	public TimeRange {
		if (start == null && end == null) {
			throw new IllegalArgumentException("schedule.ranges must have a start or an end (was '../..')");
		}
		if (start != null && end != null && !end.isAfter(start)) {
			throw new IllegalArgumentException(
					"schedule.ranges must end after they start (was '" + start + "/" + end + "')");
		}
	}

	/**
	 * Reads a range in the format of ISO 8601: two date-times with a slash. One of them
	 * may be {@code ..} for an open range. A local time that occurs twice is read as its
	 * first occurrence. A local time that is skipped is read as the instant at which
	 * clocks are set forward.
	 * @param text the range
	 * @param zone the zone of local times
	 * @return the range
	 * @throws IllegalArgumentException if the range is not valid
	 */
	public static TimeRange parse(String text, ZoneId zone) {
		String[] ends = text.strip().split("/", -1);
		if (ends.length != 2) {
			throw invalid(text, null);
		}
		Instant start;
		Instant end;
		try {
			start = instant(ends[0].strip(), zone);
			end = instant(ends[1].strip(), zone);
		}
		catch (DateTimeException ex) {
			throw invalid(text, ex);
		}
		return new TimeRange(start, end);
	}

	/**
	 * Whether a range contains a time without an offset or a zone.
	 * @param text a range
	 * @return whether {@link #parse} needs the zone; {@code false} if the range is not
	 * valid
	 */
	static boolean hasLocalTime(String text) {
		return Stream.of(text.strip().split("/", -1)).anyMatch((end) -> isLocalTime(end.strip()));
	}

	private static boolean isLocalTime(String text) {
		try {
			LocalDateTime.parse(text);
			return true;
		}
		catch (DateTimeException ex) {
			return false;
		}
	}

	private static IllegalArgumentException invalid(String text, @Nullable Exception cause) {
		return new IllegalArgumentException("schedule.ranges must be two date-times with a slash, such as "
				+ "2026-11-27T00:00/2026-12-01T00:00, or '..' instead of one (was '" + text + "')", cause);
	}

	private static @Nullable Instant instant(String text, ZoneId zone) {
		if (text.equals(OPEN)) {
			return null;
		}
		TemporalAccessor time = DateTimeFormatter.ISO_DATE_TIME.parseBest(text, ZonedDateTime::from,
				LocalDateTime::from);
		Instant read = (time instanceof ZonedDateTime zoned) ? zoned.toInstant() : instant((LocalDateTime) time, zone);
		if (LocalDateTime.from(time).getYear() > LAST_YEAR || LocalDateTime.from(time).getYear() < 0) {
			throw new DateTimeException("The year is not from 0 to 9999");
		}
		return read;
	}

	private static Instant instant(LocalDateTime time, ZoneId zone) {
		ZoneOffsetTransition change = zone.getRules().getTransition(time);
		return (change != null && change.isGap()) ? change.getInstant() : time.atZone(zone).toInstant();
	}

	boolean includes(Instant time) {
		return (this.start == null || !time.isBefore(this.start)) && (this.end == null || time.isBefore(this.end));
	}

	/**
	 * The range in the format of the configuration.
	 */
	@Override
	public String toString() {
		return ((this.start != null) ? this.start : OPEN) + "/" + ((this.end != null) ? this.end : OPEN);
	}

}
