package io.tierlimit.autoconfigure.rules;

import java.math.BigInteger;
import java.time.Duration;
import java.util.regex.Pattern;

import io.tierlimit.limit.Rate;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.convert.DurationStyle;

/**
 * Reads how many permits a token bucket can save: a number, or a time that earns them.
 */
final class BurstReader {

	/** What a time is, as far as a burst can be one. */
	static final String TIME = "a time above 0 up to " + Rate.MAX_PERIOD.toDays() + " days, such as 5m";

	// A number without a unit counts permits, so not all is a time that DurationStyle
	// reads.
	private static final Pattern TEXT = Pattern.compile("\\d+ ?(ms|s|m|h|d)|[pP].*");

	private BurstReader() {
	}

	/**
	 * Reads a burst.
	 * @param text how it is written
	 * @param rate what a time earns
	 * @throws IllegalArgumentException if the text is neither, or the time too short for
	 * a permit
	 */
	static long read(String text, Rate rate) {
		Duration time = time(text);
		return (time != null) ? earned(text, time, rate) : permits(text);
	}

	/** The time that a text is; {@code null} if it is none. */
	static @Nullable Duration time(String text) {
		if (!TEXT.matcher(text).matches()) {
			return null;
		}
		try {
			Duration time = DurationStyle.detectAndParse(text.replace(" ", ""));
			boolean inBounds = time.compareTo(Duration.ZERO) > 0 && time.compareTo(Rate.MAX_PERIOD) <= 0;
			return inBounds ? time : null;
		}
		catch (IllegalArgumentException ex) {
			return null;
		}
	}

	private static long earned(String text, Duration time, Rate rate) {
		BigInteger earned = BigInteger.valueOf(time.toNanos() / 1000)
			.multiply(BigInteger.valueOf(rate.permits()))
			.divide(BigInteger.valueOf(rate.periodTicks()));
		if (earned.signum() == 0) {
			throw new IllegalArgumentException("A burst of " + text + " earns no permit at " + rate);
		}
		return earned.min(BigInteger.valueOf(Long.MAX_VALUE)).longValueExact();
	}

	private static long permits(String text) {
		try {
			return Long.parseLong(text);
		}
		catch (NumberFormatException ex) {
			throw new IllegalArgumentException("'" + text + "' is no burst: write 1 to " + Rate.MAX_PERMITS
					+ " permits, or what earns them, " + TIME, ex);
		}
	}

}
