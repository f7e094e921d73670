package io.tierlimit.rule.reader;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.tierlimit.rule.KebabCase;
import io.tierlimit.rule.reader.PropertyText.Form;
import org.jspecify.annotations.Nullable;

import org.springframework.core.convert.ConversionException;
import org.springframework.core.convert.support.DefaultConversionService;
import org.springframework.format.annotation.DurationFormat.Style;
import org.springframework.format.datetime.standard.DurationFormatterUtils;
import org.springframework.util.StringUtils;

/**
 * Reads the properties of one rule, and reports values that are not valid. A blank value
 * is treated as a value that is not set. The names that are passed to the methods have
 * the spelling of the documentation.
 *
 * @param texts the properties
 * @param problems the problems of the rule, or of the group to which names are relative
 */
public record PropertyReader(PropertyTexts texts, RuleProblems problems) {

	private static final Pattern NUMBER = Pattern.compile("[+-]?0*[1-9]\\d*");

	private static final Map<Class<?>, String> REQUIREMENTS = Map.of(Boolean.class, "true or false", Duration.class,
			"a time such as 500ms, 10s or 5m", Integer.class, "a whole number", Long.class, "a whole number");

	/**
	 * Reads a group of properties.
	 * @param name the name of the group
	 * @return a reader that expects names relative to the group; {@code null} if no
	 * property of the group has a value
	 */
	public @Nullable PropertyReader group(String name) {
		return this.texts.hasAny(this.problems.full(name)) ? new PropertyReader(this.texts, this.problems.below(name))
				: null;
	}

	/**
	 * Whether a property has a value.
	 * @param property the name
	 * @return whether it is set and not blank
	 */
	public boolean hasValue(String property) {
		PropertyText text = find(property);
		return text != null && !text.isBlank();
	}

	/**
	 * Whether a property is written, even if its value is blank.
	 * @param property the name
	 * @return whether a source has the property
	 */
	boolean isWritten(String property) {
		return find(property) != null;
	}

	private @Nullable PropertyText find(String property) {
		return this.texts.find(this.problems.full(property));
	}

	/**
	 * Whether a property is not set. A property is not missing if its value was reported
	 * as not valid.
	 * @param property the name
	 * @param value the value that was read
	 * @return whether it is missing
	 */
	public boolean isMissing(String property, @Nullable Object value) {
		return value == null && !this.problems.has(property);
	}

	/**
	 * The keys of a map, such as the names of plans.
	 * @param map the name of the map
	 * @return the keys, each in one spelling
	 */
	public Iterable<String> keys(String map) {
		return this.texts.keys(this.problems.full(map));
	}

	/**
	 * Reads a string.
	 * @param property the name
	 * @return the string without outer blanks; {@code null} for none
	 */
	public @Nullable String text(String property) {
		String raw = rawText(property);
		return (raw == null || raw.isBlank()) ? null : raw.strip();
	}

	/**
	 * Reads a string as it is written.
	 * @param property the name
	 * @return the string; {@code null} if the property is not set
	 */
	public @Nullable String rawText(String property) {
		PropertyText text = find(property);
		return (text != null && text.form() == Form.TEXT) ? text.texts().get(0) : null;
	}

	/**
	 * Reads a list, which is written as elements or as one string with commas.
	 * @param property the name
	 * @return the elements; empty if the property is not set or is blank
	 */
	public List<String> list(String property) {
		PropertyText text = find(property);
		if (text == null || (text.texts().size() == 1 && text.isBlank())) {
			return List.of();
		}
		return switch (text.form()) {
			case LIST -> text.texts();
			case TEXT -> Arrays.stream(StringUtils.delimitedListToStringArray(text.texts().get(0), ","))
				.map(String::trim)
				.toList();
			case LIST_WITH_GAP -> {
				this.problems.add(property + " must be a list whose entries are numbered from 0 without a gap",
						"Correct", property);
				yield List.of();
			}
		};
	}

	/**
	 * Reads a value in the same format as Spring Boot.
	 * @param <T> the type
	 * @param property the name
	 * @param type an enum, a boolean, a number or a time
	 * @return the value; {@code null} if it is not set, or if it was reported as not
	 * valid
	 */
	public <T> @Nullable T value(String property, Class<T> type) {
		String text = rawText(property);
		if (text == null) {
			return null;
		}
		try {
			return convert(text, type);
		}
		catch (IllegalArgumentException ex) {
			this.problems.addInvalid(property, String.valueOf(ex.getMessage()));
			return null;
		}
	}

	/**
	 * Converts a string.
	 * @param <T> the type
	 * @param text the string
	 * @param type an enum, a boolean, a number or a time
	 * @return the value; {@code null} if the string is blank
	 * @throws IllegalArgumentException if the string is not valid; the message begins
	 * with the requirement
	 */
	public static <T> @Nullable T convert(String text, Class<T> type) {
		if (text.isBlank()) {
			return null;
		}
		try {
			if (type == Duration.class) {
				return type.cast(time(text));
			}
			return type.isEnum() ? constant(text, type)
					: DefaultConversionService.getSharedInstance().convert(text, type);
		}
		catch (ConversionException | IllegalArgumentException ex) {
			throw new IllegalArgumentException("must be " + requirement(type) + " (was '" + text + "')", ex);
		}
	}

	private static Duration time(String text) {
		if (lacksUnit(text)) {
			throw new IllegalArgumentException("no unit");
		}
		return DurationFormatterUtils.parse(text, text.matches("[+-]?[pP].*") ? Style.ISO8601 : Style.SIMPLE);
	}

	private static <T> T constant(String text, Class<T> type) {
		String name = PropertyText.plain(text.strip());
		return Arrays.stream(type.getEnumConstants())
			.filter((constant) -> PropertyText.plain(((Enum<?>) constant).name()).equals(name))
			.findFirst()
			.orElseThrow(IllegalArgumentException::new);
	}

	/**
	 * Reads a value as {@link #value} does, with a default.
	 * @param <T> the type
	 * @param property the name
	 * @param standard the default
	 * @return the value; the default if it is not set, or if it was reported as not valid
	 */
	@SuppressWarnings("unchecked")
	public <T> T valueOr(String property, T standard) {
		Class<?> type = (standard instanceof Enum<?> constant) ? constant.getDeclaringClass() : standard.getClass();
		return Objects.requireNonNullElse((T) value(property, type), standard);
	}

	/**
	 * The requirement that a string must meet to be converted.
	 * @param type the type
	 * @return the requirement, such as {@code a whole number}; {@code null} for a type
	 * without one
	 */
	public static @Nullable String requirement(Class<?> type) {
		return type.isEnum() ? "one of " + Arrays.stream(type.getEnumConstants())
			.map((constant) -> KebabCase.of((Enum<?>) constant))
			.collect(Collectors.joining(", ")) : REQUIREMENTS.get(type);
	}

	/**
	 * Whether a time is a number without a unit, except 0. Spring Boot would read it as
	 * milliseconds, but {@code within: 60} rarely means 60 milliseconds.
	 * @param text the time
	 * @return whether the unit is missing
	 */
	public static boolean lacksUnit(String text) {
		return NUMBER.matcher(text).matches();
	}

	/**
	 * Reads a percentage.
	 * @param property the name
	 * @return the percentage; {@code null} as in {@link #value}
	 */
	public @Nullable Percentage percentage(String property) {
		return parse(property, (text) -> Percentage.parse(property, text));
	}

	/**
	 * Parses a string.
	 * @param <T> the type
	 * @param property the name
	 * @param parsing parses the string; throws an {@code IllegalArgumentException} if it
	 * is not valid
	 * @return the value; {@code null} if it is not set, or if it was reported as not
	 * valid
	 */
	public <T> @Nullable T parse(String property, Function<String, T> parsing) {
		String text = text(property);
		return (text != null) ? this.problems.attempt(property, () -> parsing.apply(text)) : null;
	}

	/**
	 * Reports a required property if it is missing.
	 * @param <T> the type
	 * @param property the name
	 * @param value the value that was read
	 * @param example the kind of value, with an example
	 * @return the value; {@code null} if it was reported as missing or not valid
	 */
	public <T> @Nullable T required(String property, @Nullable T value, String example) {
		if (isMissing(property, value)) {
			this.problems.add(property + " is not set", "Set {} to " + example, property);
		}
		return value;
	}

}
