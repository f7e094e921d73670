package io.tierlimit.key;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Objects;
import java.util.regex.Pattern;

import io.tierlimit.spi.InvalidRequestValueException;
import org.jspecify.annotations.Nullable;

import org.springframework.util.ClassUtils;

/**
 * The operators of expressions, and the conversion of their operands. Operands of
 * arithmetic and of {@code <} are whole numbers. Arithmetic is exact: a result that does
 * not fit into a {@code long} is an error.
 */
final class ExpressionValues {

	private static final int MAX_LENGTH = 100_000;

	/** Every number with this number of digits fits into a {@code long}. */
	private static final int MAX_DIGITS = 18;

	private static final Pattern DIGITS = Pattern.compile("[0-9]{1," + MAX_DIGITS + "}");

	private ExpressionValues() {
	}

	/** Casts a value to the type that an operator or a method requires. */
	static <T> T as(Class<T> type, @Nullable Object value) {
		if (!type.isInstance(value)) {
			throw new ExpressionException("a value of the type " + ClassUtils.getDescriptiveType(value) + " is not a "
					+ type.getSimpleName());
		}
		return type.cast(value);
	}

	static long number(@Nullable Object value) {
		return (value instanceof Number number && isWhole(number)) ? number.longValue() : as(Long.class, value);
	}

	private static boolean isWhole(Number value) {
		return value instanceof Long || value instanceof Integer || value instanceof Short || value instanceof Byte;
	}

	/**
	 * Converts an operand to a whole number.
	 * @param cost whether the expression is a cost, in which a string of digits is a
	 * number
	 */
	static long number(@Nullable Object value, boolean cost) {
		return (cost && value instanceof String text && DIGITS.matcher(text).matches()) ? Long.parseLong(text)
				: number(value);
	}

	/**
	 * Calculates with whole numbers. Except in a cost, {@code +} also joins strings: in a
	 * cost, a joined string of digits would be a number.
	 * @param cost whether the expression is a cost, in which a string of digits is a
	 * number, and a quotient is rounded up; otherwise a quotient is rounded towards zero
	 */
	static Object calculate(String operator, @Nullable Object left, @Nullable Object right, boolean cost) {
		return (!cost && operator.equals("+") && (left instanceof String || right instanceof String))
				? join(left, right) : calculate(operator, number(left, cost), number(right, cost), cost);
	}

	private static Object calculate(String operator, long left, long right, boolean roundUp) {
		return switch (operator) {
			case "<" -> left < right;
			case "<=" -> left <= right;
			case ">" -> left > right;
			case ">=" -> left >= right;
			case "+" -> Math.addExact(left, right);
			case "-" -> Math.subtractExact(left, right);
			case "*" -> Math.multiplyExact(left, right);
			// A negated dividend is greater than Long.MIN_VALUE, so that no quotient
			// overflows.
			default -> roundUp ? -Math.floorDiv(Math.negateExact(left), right) : -(Math.negateExact(left) / right);
		};
	}

	/**
	 * Compares values in a cost. If one operand is a number, a string as the other
	 * operand is converted to a number.
	 */
	static boolean equalInCost(@Nullable Object left, @Nullable Object right) {
		boolean numbers = left instanceof Number || right instanceof Number;
		boolean texts = left instanceof String || right instanceof String;
		return (numbers && texts) ? number(left, true) == number(right, true) : equal(left, right);
	}

	/**
	 * Compares numbers by their decimal values. A number that is not finite equals no
	 * number. A number whose type is not in {@code java.lang} or {@code java.math} is an
	 * error.
	 */
	static boolean equal(@Nullable Object left, @Nullable Object right) {
		if (left instanceof Number one && right instanceof Number other) {
			BigDecimal value = finite(one);
			BigDecimal compared = finite(other);
			// Compares the exponents first, so that 1E999999999 is not expanded.
			return value != null && compared != null && value.compareTo(compared) == 0;
		}
		return Objects.equals(left, right);
	}

	private static @Nullable BigDecimal finite(Number number) {
		BigDecimal value = decimal(number);
		return (value != null || number instanceof Double || number instanceof Float) ? value
				: as(BigDecimal.class, number);
	}

	/**
	 * The value of a number; {@code null} if the number is not finite, or has another
	 * type.
	 */
	static @Nullable BigDecimal decimal(Number number) {
		if (number instanceof Double || number instanceof Float) {
			return Double.isFinite(number.doubleValue()) ? new BigDecimal(number.toString()) : null;
		}
		return (number instanceof BigDecimal exact) ? exact : (number instanceof BigInteger whole)
				? new BigDecimal(whole) : isWhole(number) ? BigDecimal.valueOf(number.longValue()) : null;
	}

	private static String join(@Nullable Object left, @Nullable Object right) {
		String joined = KeyText.of(left) + KeyText.of(right);
		if (joined.length() > MAX_LENGTH) {
			throw new InvalidRequestValueException("A string has more than " + MAX_LENGTH + " characters", null);
		}
		return joined;
	}

}
