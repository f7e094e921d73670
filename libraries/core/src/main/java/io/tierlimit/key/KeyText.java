package io.tierlimit.key;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

import io.tierlimit.spi.InvalidRequestValueException;
import org.jspecify.annotations.Nullable;

import org.springframework.util.ClassUtils;
import org.springframework.util.CollectionUtils;

/**
 * Converts values to strings for keys. Equal values are converted to the same string, and
 * different values of one type to different strings, provided that their
 * {@code toString()} does the same. The default {@link Object#toString()} is not
 * supported: its result differs in every request, so every request would have a new
 * bucket.
 */
final class KeyText {

	/** The maximum number of characters of a converted collection or array. */
	private static final int MAX_LENGTH = 100_000;

	/** The maximum number of digits before or after the decimal point. */
	private static final int MAX_DIGITS = 1000;

	/** Slightly more than this number of digits requires. */
	private static final int MAX_BITS = 3330;

	/**
	 * Characters that are escaped in elements, so that different lists are converted to
	 * different strings.
	 */
	private static final Pattern SYNTAX = Pattern.compile("[\\\\,\\[\\]{}=(\"]");

	private KeyText() {
	}

	/**
	 * Converts a value.
	 * @param value any value
	 * @return the string; {@code null} if there is no value, as in an empty
	 * {@link Optional}
	 * @throws ExpressionException if the value, or an element of it, is an object that
	 * does not override {@code toString()}
	 * @throws InvalidRequestValueException if the string or a number is too long, or if
	 * the value is nested too deeply
	 */
	static @Nullable String of(@Nullable Object value) {
		return of(value, false);
	}

	/**
	 * Whether values of a type may be converted. Records and maps are not supported,
	 * because they may contain an array, whose {@code toString()} differs in every
	 * request.
	 */
	static boolean isPossible(Class<?> type) {
		Method text = ClassUtils.getMethodIfAvailable(type, "toString");
		boolean own = text == null || text.getDeclaringClass() != Object.class || type == Object.class
				|| Modifier.isAbstract(type.getModifiers());
		return own && !Record.class.isAssignableFrom(type) && !Map.class.isAssignableFrom(type);
	}

	private static @Nullable String of(@Nullable Object value, boolean nested) {
		if (value instanceof Collection<?> all) {
			return list(all);
		}
		if (value != null && value.getClass().isArray()) {
			return list(CollectionUtils.arrayToList(value));
		}
		String text = (value != null) ? scalar(value) : null;
		return (text == null || !nested) ? text : text.isEmpty() ? "\"\"" : SYNTAX.matcher(text).replaceAll("\\\\$0");
	}

	private static String scalar(Object value) {
		if (value instanceof Number number) {
			return digits(number);
		}
		String text = (value instanceof Enum<?> constant) ? constant.name() : value.toString();
		if (value instanceof Record || value instanceof Map || text.startsWith(value.getClass().getName() + "@")) {
			throw new ExpressionException("a " + value.getClass().getName() + " cannot be a key");
		}
		return text;
	}

	/**
	 * Writes a number in the same way for 1, 1.0 and 1E0. The number of digits is
	 * limited, because a client can send {@code 1E+50000000} in 11 characters, and
	 * expanding it would take minutes.
	 */
	private static String digits(Number number) {
		BigDecimal decimal = ExpressionValues.decimal(number);
		if (decimal == null) {
			return number.toString();
		}
		if (Math.abs((long) decimal.scale()) > MAX_DIGITS || decimal.unscaledValue().bitLength() > MAX_BITS) {
			throw new InvalidRequestValueException("A number has more than " + MAX_DIGITS + " digits", null);
		}
		return decimal.stripTrailingZeros().toPlainString();
	}

	private static String list(Collection<?> values) {
		List<String> texts = new ArrayList<>();
		int length = 0;
		for (Object value : values) {
			String text = Objects.requireNonNullElse(of(value, true), "(null)");
			length += text.length() + 2;
			if (length > MAX_LENGTH) {
				throw new InvalidRequestValueException("A string has more than " + MAX_LENGTH + " characters", null);
			}
			texts.add(text);
		}
		if (values instanceof Set) {
			texts.sort(null);
		}
		return "[" + String.join(", ", texts) + "]";
	}

}
