package io.tierlimit.limit;

import java.math.BigInteger;
import java.util.Random;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class WideDivisionTests {

	private static final long LARGEST = 1L << 53;

	private static final long BOUND = 1L << 50;

	private static final long[] EXTREMES = { 0, 1, 2, 3, 999_983, 1_000_000_000_000L, 315_360_000_000_000L, BOUND - 1,
			LARGEST - 1, LARGEST };

	@Test
	void dividesRandomOperandsExactly() {
		Random random = new Random(1);
		int checked = 0;
		for (int i = 0; i < 300_000; i++) {
			checked += compare(upTo(LARGEST, random), upTo(LARGEST, random), upTo(LARGEST, random),
					upTo(LARGEST, random) + 1);
		}
		assertThat(checked).isGreaterThan(100_000);
	}

	@Test
	void dividesAroundEveryMultipleOfTheDivisorExactly() {
		Random random = new Random(2);
		int checked = 0;
		for (int i = 0; i < 300_000; i++) {
			long divisor = 1 + upTo(LARGEST - 1, random);
			long a = upTo(LARGEST, random);
			long b = upTo(LARGEST, random);
			long beyond = product(a, b).mod(BigInteger.valueOf(divisor)).longValueExact();
			checked += compare(a, b, -beyond - 1, divisor);
			checked += compare(a, b, -beyond, divisor);
			checked += compare(a, b, -beyond + 1, divisor);
			checked += compare(a, b, divisor - beyond - 1, divisor);
		}
		assertThat(checked).isGreaterThan(400_000);
	}

	@Test
	void dividesExtremeOperandsExactly() {
		int checked = 0;
		for (long a : EXTREMES) {
			for (long b : EXTREMES) {
				for (long addend : EXTREMES) {
					for (long divisor : EXTREMES) {
						checked += compare(a, b, addend, Math.max(1, divisor));
						checked += compare(a, b, -addend, Math.max(1, divisor));
					}
				}
			}
		}
		assertThat(checked).isGreaterThan(2_000);
	}

	@Test
	void floorRoundsDownAndCeilRoundsUp() {
		assertThat(WideDivision.floor(7, 1, 0, 2)).isEqualTo(3);
		assertThat(WideDivision.ceil(7, 1, 0, 2)).isEqualTo(4);
		assertThat(WideDivision.floor(8, 1, 0, 2)).isEqualTo(4);
		assertThat(WideDivision.ceil(8, 1, 0, 2)).isEqualTo(4);
	}

	/** Compares both quotients if the operands are within the contract. */
	private static int compare(long a, long b, long addend, long divisor) {
		BigInteger dividend = product(a, b).add(BigInteger.valueOf(addend));
		if (dividend.signum() < 0) {
			return 0;
		}
		BigInteger[] exact = dividend.divideAndRemainder(BigInteger.valueOf(divisor));
		BigInteger ceiling = exact[0].add(BigInteger.valueOf(exact[1].signum()));
		if (ceiling.compareTo(BigInteger.valueOf(BOUND)) >= 0) {
			return 0;
		}
		long floor = WideDivision.floor(a, b, addend, divisor);
		long ceil = WideDivision.ceil(a, b, addend, divisor);
		if (floor != exact[0].longValueExact() || ceil != ceiling.longValueExact()) {
			assertThat(floor + " " + ceil).as("(%d * %d + %d) / %d", a, b, addend, divisor)
				.isEqualTo(exact[0] + " " + ceiling);
		}
		return 1;
	}

	private static BigInteger product(long a, long b) {
		return BigInteger.valueOf(a).multiply(BigInteger.valueOf(b));
	}

	/** All magnitudes are equally likely. */
	private static long upTo(long bound, Random random) {
		return Math.min(bound, random.nextLong() >>> (10 + random.nextInt(54)));
	}

}
