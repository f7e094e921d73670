package io.tierlimit.autoconfigure.rules;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.function.Function;
import java.util.regex.Pattern;

import io.tierlimit.LimitDefinition;
import io.tierlimit.limit.Burst;
import io.tierlimit.limit.Rate;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.convert.DurationStyle;

/**
 * Reads the texts of one rule in the configuration or in an annotation, and reports those
 * that are not valid.
 */
final class RuleTexts {

	// DurationStyle would read a number without a unit, but that is a number of permits.
	private static final Pattern TIME = Pattern.compile("\\d+ ?(ms|s|m|h|d)|[pP].*");

	private static final Pattern NUMBER = Pattern.compile("[+-]?0*[1-9]\\d*");

	private static final Pattern PERCENT = Pattern.compile("\\d{1,3}(\\.\\d{1,9})? ?%");

	private final RuleProblems problems;

	RuleTexts(RuleProblems problems) {
		this.problems = problems;
	}

	/** Reads the texts of a group of properties. */
	RuleTexts below(String group) {
		return new RuleTexts(this.problems.below(group));
	}

	/** Strips a text; returns {@code null} if nothing is left. */
	static @Nullable String text(@Nullable String value) {
		return (value == null || value.isBlank()) ? null : value.strip();
	}

	/**
	 * Reads the properties of a limit.
	 * @param prefix the prefix of the names of the properties
	 * @return the limit, without the texts that are blank or not valid
	 */
	LimitDefinition limit(LimitDefinition limit, String prefix, @Nullable String rate, @Nullable String burst,
			@Nullable String capacity) {
		LimitDefinition read = limit;
		Rate parsedRate = read(prefix + "rate", rate, Rate::parse);
		if (parsedRate != null) {
			read = read.rate(parsedRate);
		}
		Burst parsedBurst = read(prefix + "burst", burst, RuleTexts::parseBurst);
		if (parsedBurst != null) {
			read = read.burst(parsedBurst);
		}
		Long parsedCapacity = read(prefix + "capacity", capacity, RuleTexts::parseCapacity);
		if (parsedCapacity != null) {
			read = read.capacity(parsedCapacity);
		}
		return read;
	}

	/** Reports a property that is written without a value. */
	void checkNotEmpty(String property) {
		this.problems.addEmpty(property);
	}

	/** Reads a rate; returns {@code null} without one, and reports an invalid one. */
	@Nullable Rate rate(String property, @Nullable String value) {
		return read(property, value, (text) -> {
			try {
				return Rate.parse(text);
			}
			catch (IllegalArgumentException ex) {
				throw new IllegalArgumentException(String.valueOf(ex.getMessage()).replaceFirst("^rate", property), ex);
			}
		});
	}

	/** Reads a percentage as a share; {@code null} as for a rate. */
	@Nullable Double share(String property, @Nullable String value) {
		return read(property, value, (text) -> {
			if (!PERCENT.matcher(text).matches()) {
				throw new IllegalArgumentException(
						property + " must be a percentage such as 5% or 0.5% (was '" + text + "')");
			}
			return new BigDecimal(text.replace("%", "").strip()).movePointLeft(2).doubleValue();
		});
	}

	/**
	 * Whether a time is a number without a unit, except for 0. Spring Boot would read it
	 * as milliseconds, but {@code within: 60} is rarely a time of 60 milliseconds.
	 */
	static boolean lacksUnit(String text) {
		return NUMBER.matcher(text).matches();
	}

	/** Reads a time; returns {@code null} if the text is not valid, which is reported. */
	@Nullable Duration time(String property, String text) {
		try {
			if (lacksUnit(text)) {
				throw new IllegalArgumentException("'" + text + "' has no unit");
			}
			return DurationStyle.detectAndParse(text);
		}
		catch (IllegalArgumentException ex) {
			this.problems.add(property + " must be a time such as 500ms, 10s or 5m (was '" + text + "')", "Correct",
					property);
			return null;
		}
	}

	/** A value that must be set; {@code null} if it is not, which is reported. */
	<T> @Nullable T required(String property, @Nullable T value, String kind) {
		// A value that could not be converted has been reported before.
		if (value == null && !this.problems.isWritten(property)) {
			this.problems.add(property + " is not set", "Set {} to " + kind, property);
		}
		return value;
	}

	private <T> @Nullable T read(String property, @Nullable String value, Function<String, T> parsing) {
		String text = text(value);
		return (text != null) ? this.problems.attempt(property, () -> parsing.apply(text)) : null;
	}

	private static Burst parseBurst(String text) {
		try {
			if (TIME.matcher(text).matches()) {
				return new Burst.Time(DurationStyle.detectAndParse(text.replace(" ", "")));
			}
			return new Burst.Permits(Long.parseLong(text));
		}
		catch (IllegalArgumentException ex) {
			throw new IllegalArgumentException("burst must be 1 to " + Rate.MAX_PERMITS
					+ " permits, or a time above 0 and up to " + Rate.MAX_PERIOD.toDays()
					+ " days in which the rate earns them, such as 5m (was '" + text + "')", ex);
		}
	}

	private static Long parseCapacity(String text) {
		try {
			return Long.valueOf(text);
		}
		catch (NumberFormatException ex) {
			throw new IllegalArgumentException("capacity must be a whole number of permits (was '" + text + "')", ex);
		}
	}

}
