package io.tierlimit.key;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.CharBuffer;
import java.time.DayOfWeek;
import java.time.LocalDate;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.tierlimit.spi.InvalidRequestValueException;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class KeyTextTests {

	@Test
	void equalNumbersAreTheSameString() {
		for (Object one : List.of(1, 1L, (short) 1, 1.0, 1f, new BigDecimal("1"), new BigDecimal("1.0"),
				new BigDecimal("1E0"), new BigDecimal("0.1E1"), new BigDecimal("10E-1"), BigInteger.ONE)) {
			assertThat(KeyText.of(one)).as(one.getClass() + " " + one).isEqualTo("1");
		}
		assertThat(KeyText.of(new BigDecimal("1E+3"))).isEqualTo("1000");
		assertThat(KeyText.of(new BigDecimal("-1.50"))).isEqualTo("-1.5");
		assertThat(KeyText.of(new BigDecimal("0.00"))).isEqualTo(KeyText.of(-0.0)).isEqualTo("0");
		assertThat(KeyText.of(Double.NaN)).isEqualTo("NaN");
	}

	@Test
	void numbersAreNotExpanded() {
		for (Object number : List.of(new BigDecimal("1E+999999999"), new BigDecimal("1E-999999999"),
				BigInteger.ONE.shiftLeft(1_000_000), List.of(BigInteger.ONE.shiftLeft(1_000_000)),
				List.of(new BigDecimal("1E+999999999")), Collections.nCopies(1000, new BigDecimal("1E+999")))) {
			assertThatExceptionOfType(InvalidRequestValueException.class).isThrownBy(() -> KeyText.of(number));
		}
	}

	@Test
	void collectionsArraysAndMapsAreTheirElements() {
		assertThat(KeyText.of(List.of("a", 1))).isEqualTo("[a, 1]");
		assertThat(KeyText.of(new String[] { "a", "b" })).isEqualTo("[a, b]");
		assertThat(KeyText.of(new byte[] { 1, 2 })).isEqualTo("[1, 2]");
		assertThat(KeyText.of(new int[][] { { 1 }, {} })).isEqualTo("[[1], []]");
		assertThat(KeyText.of(new LinkedHashSet<>(List.of("b", "a")))).isEqualTo("[a, b]");
		assertThat(KeyText.of(List.of("b", "a"))).isEqualTo("[b, a]");
	}

	@Test
	void valuesAreConvertedByToString() {
		assertThat(KeyText.of("a, [b]")).isEqualTo("a, [b]");
		assertThat(KeyText.of(CharBuffer.wrap("ab"))).isEqualTo("ab");
		assertThat(KeyText.of(LocalDate.of(2026, 1, 2))).isEqualTo("2026-01-02");
		assertThat(KeyText.of(DayOfWeek.MONDAY)).isEqualTo("MONDAY");
		assertThat(KeyText.of(Spelled.ONE)).isEqualTo("ONE");
		assertThat(KeyText.of(true)).isEqualTo("true");
		assertThat(KeyText.of(null)).isNull();
	}

	@Test
	void recordsAndMapsCannotBeConverted() {
		for (Object value : List.of(new Holder("a"), Map.of("a", 1), List.of(new Holder("a")), List.of(Map.of()))) {
			assertThatExceptionOfType(ExpressionException.class).as(value.getClass().getName())
				.isThrownBy(() -> KeyText.of(value))
				.withMessageContaining("cannot be a key");
		}
	}

	@Test
	void differentListsAreDifferentStrings() {
		List<Object> lists = List.of(List.of(), List.of(""), List.of("", ""), List.of("a", "b"), List.of("a, b"),
				List.of("a\\", " b"), List.of("a\\, b"), List.of("\"\""), Arrays.asList((Object) null),
				List.of("(null)"), List.of("null"), List.of(List.of("a")), List.of("[a]"), List.of(List.of("a"), "b"),
				List.of(List.of("a", "b")), List.of("{a=b}"));
		assertThat(lists.stream().map(KeyText::of)).doesNotHaveDuplicates();
	}

	@Test
	void objectWithoutItsOwnToStringCannotBeConverted() {
		Object plain = new Plain();
		for (Object value : List.of(plain, List.of(plain), Set.of(plain), new Object[] { plain },
				List.of(List.of(plain)))) {
			assertThatExceptionOfType(ExpressionException.class).as(value.getClass().getName())
				.isThrownBy(() -> KeyText.of(value))
				.withMessageContaining("Plain cannot be a key");
		}
	}

	@Test
	void standardToStringIsFoundWhenTheHashCodeChanges() {
		for (Object value : List.of(new Changing(), List.of(new Changing()))) {
			assertThatExceptionOfType(ExpressionException.class).isThrownBy(() -> KeyText.of(value))
				.withMessageContaining("Changing cannot be a key");
		}
	}

	@Test
	void standardToStringIsFoundIfTheClassOverridesItWithTheSameResult() {
		assertThatExceptionOfType(ExpressionException.class).isThrownBy(() -> KeyText.of(new Delegating()))
			.withMessageContaining("Delegating cannot be a key");
	}

	@Test
	void lengthIsBounded() {
		for (Object value : List.of(Collections.nCopies(100_000, "a"), new byte[1_000_000])) {
			assertThatExceptionOfType(InvalidRequestValueException.class).isThrownBy(() -> KeyText.of(value));
		}
	}

	/** An enum whose constants override {@code toString()}: their names are used. */
	private enum Spelled {

		ONE;

		@Override
		public String toString() {
			return "number one";
		}

	}

	private record Holder(Object value) {

	}

	private static final class Plain {

	}

	/**
	 * An object whose hash code differs in each call, as if another thread changed the
	 * object.
	 */
	private static final class Changing {

		private int changes;

		@Override
		public int hashCode() {
			return this.changes++;
		}

		@Override
		public boolean equals(Object other) {
			return this == other;
		}

	}

	private static final class Delegating {

		@Override
		public String toString() {
			return super.toString();
		}

	}

}
