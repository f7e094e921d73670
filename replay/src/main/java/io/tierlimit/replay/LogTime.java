package io.tierlimit.replay;

import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoField;
import java.util.Locale;

/**
 * Reads the times of a log: {@code 23/Nov/2026:11:33:00 +0000}, with or without a
 * fraction of the second; ISO 8601 with a zone; or seconds, milliseconds, microseconds or
 * nanoseconds since 1970. Consecutive lines often have the same time, or only differ in
 * the second, so the last time is stored. Not thread-safe.
 */
final class LogTime {

	private static final DateTimeFormatter COMMON = new DateTimeFormatterBuilder().parseCaseInsensitive()
		.appendPattern("dd/MMM/yyyy:HH:mm:ss")
		.appendFraction(ChronoField.NANO_OF_SECOND, 0, 9, true)
		.appendPattern(" Z")
		.toFormatter(Locale.ENGLISH);

	/** ISO 8601, including an offset without a colon. */
	private static final DateTimeFormatter ISO = new DateTimeFormatterBuilder().parseCaseInsensitive()
		.append(DateTimeFormatter.ISO_LOCAL_DATE_TIME)
		.appendPattern("[XXX][XX][X]")
		.toFormatter(Locale.ROOT);

	/** A larger number (in seconds, a time after 2286-11-20) has a smaller unit. */
	private static final BigDecimal MOST_SECONDS = BigDecimal.valueOf(10_000_000_000L);

	/** The length of {@code 23/Nov/2026:11:33:00 +0000}. */
	private static final int COMMON_LENGTH = 26;

	private static final int SECOND = 18;

	private static final int NO_SECONDS = Integer.MIN_VALUE;

	private static final Instant EARLIEST = Instant.EPOCH;

	private static final Instant LATEST = Instant.parse("9999-12-31T23:59:59Z");

	private String lastText = "";

	private Instant last = Instant.EPOCH;

	/**
	 * Reads a time.
	 * @throws InvalidLineException if the string is not a time, or has no time zone
	 */
	Instant parse(String text) throws InvalidLineException {
		if (!text.equals(this.lastText)) {
			int seconds = secondsAfterLast(text);
			this.last = (seconds != NO_SECONDS) ? this.last.plusSeconds(seconds) : read(text);
			this.lastText = text;
		}
		return this.last;
	}

	/**
	 * The seconds between the last time and another time of the same minute, both without
	 * a fraction; {@link #NO_SECONDS} for any other string.
	 */
	private int secondsAfterLast(String text) {
		if (text.length() != COMMON_LENGTH || this.lastText.length() != COMMON_LENGTH || text.charAt(2) != '/'
				|| !text.regionMatches(0, this.lastText, 0, SECOND)
				|| !text.regionMatches(SECOND + 2, this.lastText, SECOND + 2, COMMON_LENGTH - SECOND - 2)) {
			return NO_SECONDS;
		}
		int tens = text.charAt(SECOND) - this.lastText.charAt(SECOND);
		boolean isSecond = isDigit(text.charAt(SECOND)) && text.charAt(SECOND) < '6'
				&& isDigit(text.charAt(SECOND + 1));
		return isSecond ? 10 * tens + text.charAt(SECOND + 1) - this.lastText.charAt(SECOND + 1) : NO_SECONDS;
	}

	private static Instant read(String text) throws InvalidLineException {
		try {
			if (!text.isEmpty() && text.length() <= 30 && text.chars().allMatch((c) -> c == '.' || isDigit(c))) {
				return checked(ofNumber(new BigDecimal(text)));
			}
			boolean common = text.length() > 3 && text.charAt(2) == '/';
			return checked(OffsetDateTime.parse(text, common ? COMMON : ISO).toInstant());
		}
		catch (DateTimeException | ArithmeticException | NumberFormatException ex) {
			throw new InvalidLineException("'" + text + "' is not a time with a zone");
		}
	}

	/** Rejects times whose microseconds exceed the range of a {@code long}. */
	private static Instant checked(Instant time) {
		if (time.isBefore(EARLIEST) || time.isAfter(LATEST)) {
			throw new DateTimeException("out of range");
		}
		return time;
	}

	private static boolean isDigit(int c) {
		return c >= '0' && c <= '9';
	}

	private static Instant ofNumber(BigDecimal number) {
		BigDecimal seconds = number;
		while (seconds.compareTo(MOST_SECONDS) > 0) {
			seconds = seconds.movePointLeft(3);
		}
		long whole = seconds.longValue();
		return Instant.ofEpochSecond(whole, seconds.subtract(BigDecimal.valueOf(whole)).movePointRight(9).longValue());
	}

}
