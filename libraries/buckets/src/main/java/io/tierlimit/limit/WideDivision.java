package io.tierlimit.limit;

/**
 * Quotients whose dividend is a product that exceeds a {@code long}.
 * <p>
 * Permits times ticks reach 10<sup>26</sup>. The quotient is estimated in floating point.
 * The estimate is off by one at most, as long as it is below 2<sup>50</sup>. The
 * remainder of the estimate is exact in wrapping arithmetic, because its true value is
 * smaller than two divisors. The remainder determines the correction. Nothing is
 * allocated.
 */
final class WideDivision {

	private WideDivision() {
	}

	/**
	 * Rounds down.
	 * @param a a factor from 0 to 2^53
	 * @param b a factor from 0 to 2^53
	 * @param addend added to the product; the sum must not be negative
	 * @param divisor from 1 to 2^53
	 * @return floor((a * b + addend) / divisor), which must be below 2^50
	 */
	static long floor(long a, long b, long addend, long divisor) {
		long quotient = (long) (((double) a * b + addend) / divisor);
		long remainder = a * b + addend - quotient * divisor;
		if (remainder < 0) {
			return quotient - 1;
		}
		return (remainder < divisor) ? quotient : quotient + 1;
	}

	/**
	 * Rounds up.
	 * @param a a factor from 0 to 2^53
	 * @param b a factor from 0 to 2^53
	 * @param addend added to the product; the sum must not be negative
	 * @param divisor from 1 to 2^53
	 * @return ceil((a * b + addend) / divisor), which must be below 2^50
	 */
	static long ceil(long a, long b, long addend, long divisor) {
		return floor(a, b, addend + divisor - 1, divisor);
	}

}
