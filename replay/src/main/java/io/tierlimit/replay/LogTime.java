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
 * nanoseconds since 1970. Consecutive lines often have the same time, so the last time is
 * stored. Not thread-safe.
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
			this.last = read(text);
			this.lastText = text;
		}
		return this.last;
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
