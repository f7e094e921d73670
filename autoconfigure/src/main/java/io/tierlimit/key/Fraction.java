package io.tierlimit.key;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;

import io.tierlimit.spi.InvalidFactException;

/**
 * An exact number. Clients can choose the operands of an expression, so every number is
 * checked before it is expanded: {@code 1E+50000000} takes 11 characters to write and
 * minutes to convert.
 *
 * @param numerator the number times the denominator
 * @param denominator 1 or more
 * @param integer whether the number has an integer type, whatever its value
 */
record Fraction(BigInteger numerator, BigInteger denominator, boolean integer) implements Comparable<Fraction> {

	/** The most digits that a number may have before or after its decimal point. */
	private static final int MOST_DIGITS = 1000;

	/** Slightly more than this number of digits requires. */
	private static final int MOST_BITS = 3330;

	/**
	 * Converts a number.
	 * @throws InvalidFactException if the number has too many digits
	 * @throws ArithmeticException if it is not a finite number
	 */
	static Fraction of(Number number) {
		check(number);
		if (number instanceof Integer || number instanceof Long || number instanceof Short || number instanceof Byte) {
			return new Fraction(BigInteger.valueOf(number.longValue()), BigInteger.ONE, true);
		}
		if (number instanceof BigInteger integer) {
			return new Fraction(integer, BigInteger.ONE, true);
		}
		BigDecimal decimal = (number instanceof BigDecimal exact) ? exact : decimal(number);
		return (decimal.scale() <= 0) ? new Fraction(decimal.toBigInteger(), BigInteger.ONE, false)
				: new Fraction(decimal.unscaledValue(), BigInteger.TEN.pow(decimal.scale()), false);
	}

	private static BigDecimal decimal(Number number) {
		String text = number.toString();
		if (text.length() > MOST_DIGITS) {
			throw tooLong();
		}
		try {
			// By its decimal notation: 0.1 is one tenth, but its double is not.
			BigDecimal decimal = new BigDecimal(text);
			check(decimal);
			return decimal;
		}
		catch (NumberFormatException ex) {
			throw new ArithmeticException("A " + number.getClass().getName() + " is not a finite number");
		}
	}

	/**
	 * The digits of a number: the same for 1, 1.0 and 1E0.
	 * @throws InvalidFactException if the number has too many digits
	 */
	static String plain(Number number) {
		check(number);
		boolean binary = number instanceof Double || number instanceof Float;
		if (number instanceof BigDecimal || (binary && Double.isFinite(number.doubleValue()))) {
			BigDecimal decimal = (number instanceof BigDecimal exact) ? exact : decimal(number);
			return decimal.stripTrailingZeros().toPlainString();
		}
		return number.toString();
	}

	/**
	 * Checks that a value may be converted, compared or written.
	 * @param value any value; only numbers can be too long
	 * @throws InvalidFactException if it is a number with too many digits
	 */
	static void check(Object value) {
		if (value instanceof BigInteger integer && integer.bitLength() > MOST_BITS) {
			throw tooLong();
		}
		if (value instanceof BigDecimal decimal && (Math.abs((long) decimal.scale()) > MOST_DIGITS
				|| decimal.unscaledValue().bitLength() > MOST_BITS)) {
			throw tooLong();
		}
	}

	private static InvalidFactException tooLong() {
		return new InvalidFactException(
				"A number has more than " + MOST_DIGITS + " digits before or after its decimal point", null);
	}

	Fraction negated() {
		return new Fraction(this.numerator.negate(), this.denominator, this.integer);
	}

	Fraction plus(Fraction other) {
		return new Fraction(this.numerator.multiply(other.denominator).add(other.numerator.multiply(this.denominator)),
				this.denominator.multiply(other.denominator), this.integer && other.integer);
	}

	Fraction times(Fraction other) {
		return new Fraction(this.numerator.multiply(other.numerator), this.denominator.multiply(other.denominator),
				this.integer && other.integer);
	}

	Fraction dividedBy(Fraction other) {
		if (other.numerator.signum() == 0) {
			throw new ArithmeticException("Division by zero");
		}
		Fraction inverse = new Fraction(other.denominator, other.numerator.abs(), false);
		return times((other.numerator.signum() < 0) ? inverse.negated() : inverse);
	}

	/** The whole part: 1 of 1.5, and -1 of -1.5. */
	Fraction truncated() {
		return new Fraction(this.numerator.divide(this.denominator), BigInteger.ONE, true);
	}

	/** The remainder of a division, with the sign of this number. */
	Fraction remainder(Fraction other) {
		return plus(other.times(dividedBy(other).truncated()).negated());
	}

	boolean isWhole() {
		return this.numerator.mod(this.denominator).signum() == 0;
	}

	BigInteger roundedUp() {
		BigInteger[] parts = this.numerator.divideAndRemainder(this.denominator);
		return (parts[1].signum() > 0) ? parts[0].add(BigInteger.ONE) : parts[0];
	}

	/** Converts this to a number: a whole number if possible. */
	Number toNumber() {
		if (!isWhole()) {
			return new BigDecimal(this.numerator).divide(new BigDecimal(this.denominator), MathContext.DECIMAL64);
		}
		BigInteger whole = truncated().numerator;
		return (whole.bitLength() < Long.SIZE) ? (Number) whole.longValueExact() : whole;
	}

	@Override
	public int compareTo(Fraction other) {
		return this.numerator.multiply(other.denominator).compareTo(other.numerator.multiply(this.denominator));
	}

}
