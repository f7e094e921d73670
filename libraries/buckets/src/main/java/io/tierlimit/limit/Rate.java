package io.tierlimit.limit;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Permits per period, as in {@code 10/s} or {@code 1000/15m}.
 *
 * @param permits the permits earned per period: 1 to 10<sup>12</sup>
 * @param periodTicks the period in microseconds: 1 to 3,650 days
 */
public record Rate(long permits, long periodTicks) {

	/** The maximum permits of a rate or a burst. */
	public static final long MAX_PERMITS = 1_000_000_000_000L;

	/** The maximum period of a limit, and the maximum time until its bucket is full. */
	public static final Duration MAX_PERIOD = Duration.ofDays(3650);

	/** {@link #MAX_PERIOD} in ticks. */
	static final long MAX_TICKS = MAX_PERIOD.toNanos() / 1000;

	private static final Pattern TEXT = Pattern.compile("(\\d+) ?/ ?(\\d*) ?(ms|s|m|h|d)");

	private static final Pattern ISO = Pattern.compile("(-?\\d+)/(-?[pP].*)");

	private static final Map<String, ChronoUnit> UNITS = Map.of("ms", ChronoUnit.MILLIS, "s", ChronoUnit.SECONDS, "m",
			ChronoUnit.MINUTES, "h", ChronoUnit.HOURS, "d", ChronoUnit.DAYS);

	/**
	 * Creates a rate.
	 * @throws IllegalArgumentException if a number is out of range
	 */
	public Rate {
		if (permits < 1 || permits > MAX_PERMITS) {
			throw new IllegalArgumentException(
					"rate must have 1 to " + MAX_PERMITS + " permits per period (was " + permits + ")");
		}
		if (periodTicks < 1 || periodTicks > MAX_TICKS) {
			throw periodOutOfRange(Duration.of(periodTicks, ChronoUnit.MICROS));
		}
	}

	/**
	 * Creates a rate.
	 * @param permits the permits earned per period: 1 to 10<sup>12</sup>
	 * @param period the period: one microsecond to 3,650 days, in whole microseconds
	 * @throws IllegalArgumentException if a number is out of range
	 */
	public Rate(long permits, Duration period) {
		this(permits, ticks(period));
	}

	private static long ticks(Duration period) {
		if (period.compareTo(Duration.of(1, ChronoUnit.MICROS)) < 0 || period.compareTo(MAX_PERIOD) > 0) {
			throw periodOutOfRange(period);
		}
		if (period.toNanos() % 1000 != 0) {
			throw new IllegalArgumentException("rate must have a period of whole microseconds (was " + period + ")");
		}
		return period.toNanos() / 1000;
	}

	private static IllegalArgumentException periodOutOfRange(Duration period) {
		return new IllegalArgumentException(
				"rate must have a period from 1 microsecond to " + MAX_PERIOD.toDays() + " days (was " + period + ")");
	}

	/**
	 * Parses a rate.
	 * @param text permits, a slash, and a period: a unit out of {@code ms}, {@code s},
	 * {@code m} (minutes), {@code h} and {@code d} with an optional number before it, or
	 * a period in the format of ISO 8601
	 * @return the rate
	 * @throws IllegalArgumentException if the string is not a valid rate, or a number in
	 * it is out of range
	 */
	public static Rate parse(String text) {
		Matcher iso = ISO.matcher(text.strip());
		if (iso.matches()) {
			return new Rate(number(iso.group(1), text), isoPeriod(iso.group(2), text));
		}
		Matcher matcher = TEXT.matcher(text.strip());
		if (!matcher.matches()) {
			throw noRate(text);
		}
		return new Rate(number(matcher.group(1), text), period(matcher, text));
	}

	private static IllegalArgumentException noRate(String text) {
		return new IllegalArgumentException("rate must be permits per period with a unit out of ms, s, m, h and d, "
				+ "such as 10/s, 100/m or 1000/15m (was '" + text + "')");
	}

	private static Duration isoPeriod(String period, String text) {
		try {
			return Duration.parse(period);
		}
		catch (DateTimeException ex) {
			throw noRate(text);
		}
	}

	private static Duration period(Matcher matcher, String text) {
		long count = matcher.group(2).isEmpty() ? 1 : number(matcher.group(2), text);
		try {
			return Duration.of(count, UNITS.get(matcher.group(3)));
		}
		catch (ArithmeticException | DateTimeException ex) {
			throw new IllegalArgumentException(
					"rate must have a period of at most " + MAX_PERIOD.toDays() + " days (was '" + text + "')", ex);
		}
	}

	private static long number(String digits, String text) {
		try {
			return Long.parseLong(digits);
		}
		catch (NumberFormatException ex) {
			throw new IllegalArgumentException(
					"rate must have numbers of at most " + MAX_PERMITS + " (was '" + text + "')", ex);
		}
	}

	/**
	 * The rate as a string, in the largest unit that divides its period.
	 * @return a string such as {@code 1000/15m}, which {@link #parse} accepts; a period
	 * that no unit divides has the format of ISO 8601
	 */
	@Override
	public String toString() {
		String text = text(period());
		return this.permits + "/" + (text.matches("1[a-z]+") ? text.substring(1) : text);
	}

	/**
	 * Formats a time in the largest unit that divides it, such as {@code 15m}; in the
	 * format of ISO 8601 if no unit divides it.
	 */
	static String text(Duration time) {
		for (String name : List.of("d", "h", "m", "s", "ms")) {
			Duration unit = Duration.of(1, UNITS.get(name));
			try {
				long count = time.dividedBy(unit);
				if (unit.multipliedBy(count).equals(time)) {
					return count + name;
				}
			}
			catch (ArithmeticException ex) {
				// The time has more of this unit than a long can count.
			}
		}
		return time.toString();
	}

	/**
	 * The period.
	 * @return the period, at least 1 microsecond
	 */
	public Duration period() {
		return Duration.of(this.periodTicks, ChronoUnit.MICROS);
	}

	/**
	 * Whether this rate is lower than another one.
	 * @param other the other rate
	 * @return whether this one has fewer permits in the same time
	 */
	public boolean isLowerThan(Rate other) {
		BigInteger own = BigInteger.valueOf(this.permits).multiply(BigInteger.valueOf(other.periodTicks));
		return own.compareTo(BigInteger.valueOf(other.permits).multiply(BigInteger.valueOf(this.periodTicks))) < 0;
	}

	/**
	 * A part of this rate, for one of several instances that decide alone, with at least
	 * {@code atLeast} permits.
	 */
	Rate scale(BigDecimal fraction, long atLeast) {
		BigDecimal part = fraction.multiply(BigDecimal.valueOf(this.permits));
		long enough = Math.max(1, Math.max(part.longValue(), Math.min(atLeast, this.permits)));
		if (part.compareTo(BigDecimal.ONE) >= 0 || enough > 1) {
			return new Rate(enough, this.periodTicks);
		}
		// Less than one permit per period becomes one permit in a longer period.
		return new Rate(1, this.periodTicks).slower(part, MAX_TICKS);
	}

	/** A fraction of this rate: the same permits in a longer period, up to a maximum. */
	Rate slower(BigDecimal fraction, long longest) {
		BigDecimal period = BigDecimal.valueOf(this.periodTicks).divide(fraction, 0, RoundingMode.CEILING);
		return new Rate(this.permits, period.min(BigDecimal.valueOf(longest)).longValueExact());
	}

}
