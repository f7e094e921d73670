package io.tierlimit.key;

import java.util.Objects;

import io.tierlimit.spi.InvalidFactException;
import org.jspecify.annotations.Nullable;

/**
 * The values of expressions and their operators. Numbers are whole. Arithmetic is exact:
 * a result that does not fit into a {@code long} is an error.
 */
final class ExpressionValues {

	private static final int MAX_LENGTH = 100_000;

	private ExpressionValues() {
	}

	/** A value of the type that an operator or a method requires. */
	static <T> T as(Class<T> type, @Nullable Object value) {
		if (!type.isInstance(value)) {
			throw new ExpressionException("a value is " + ((value != null) ? "a " + value.getClass().getName() : "null")
					+ ", and not a " + type.getSimpleName(), false);
		}
		return type.cast(value);
	}

	static long number(@Nullable Object value) {
		return (value instanceof Integer || value instanceof Short || value instanceof Byte)
				? ((Number) value).longValue() : as(Long.class, value);
	}

	/**
	 * Applies an operator.
	 * @param roundUp whether a quotient is rounded up; otherwise towards zero
	 */
	static Object apply(String operator, @Nullable Object left, @Nullable Object right, boolean roundUp) {
		return switch (operator) {
			case "==" -> equal(left, right);
			case "!=" -> !equal(left, right);
			case "<" -> number(left) < number(right);
			case "<=" -> number(left) <= number(right);
			case ">" -> number(left) > number(right);
			case ">=" -> number(left) >= number(right);
			case "+" -> add(left, right);
			case "-" -> Math.subtractExact(number(left), number(right));
			case "*" -> Math.multiplyExact(number(left), number(right));
			default -> divide(number(left), number(right), roundUp);
		};
	}

	static boolean equal(@Nullable Object left, @Nullable Object right) {
		return (left instanceof Number && right instanceof Number) ? number(left) == number(right)
				: Objects.equals(left, right);
	}

	private static Object add(@Nullable Object left, @Nullable Object right) {
		if (!(left instanceof String) && !(right instanceof String)) {
			return Math.addExact(number(left), number(right));
		}
		String joined = KeyText.of(left) + KeyText.of(right);
		if (joined.length() > MAX_LENGTH) {
			throw new InvalidFactException("A text has more than " + MAX_LENGTH + " characters", null);
		}
		return joined;
	}

	private static long divide(long dividend, long divisor, boolean roundUp) {
		// A negated dividend is above Long.MIN_VALUE, so that no quotient overflows.
		long negated = Math.negateExact(dividend);
		return roundUp ? -Math.floorDiv(negated, divisor) : -(negated / divisor);
	}

}
