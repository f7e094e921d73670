package io.tierlimit.key;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.tierlimit.spi.InvalidRequestValueException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

/**
 * Tests expressions that would take more than linear time in the size of client-supplied
 * values.
 */
class ExpressionWorkTests {

	private static final Map<String, Class<?>> TYPES = Map.of("name", String.class, "any", Object.class, "names",
			List.class, "n", Object.class);

	private static final List<Number> HUGE = List.of(new BigDecimal("1E+50000000"), new BigDecimal("1E-50000000"),
			new BigDecimal("1E+2147483647"), new BigDecimal("-1E-2147483647"), BigInteger.ONE.shiftLeft(4_000_000),
			new BigDecimal(BigInteger.ONE.shiftLeft(4_000_000)));

	@ParameterizedTest
	@ValueSource(strings = { "header('a').contains(header('b'))", "#name.contains(#name)", "header('a').contains(#any)",
			"#any.contains(#name)", "claim('a').contains(header('b'))", "user.contains(header('a').trim())",
			"#name.contains('a' + #name)", "header('a') matches header('b')", "'abc' matches header('a')",
			"#name matches ('a' + #name)" })
	void argumentThatMustBeConstantIsReportedAtStartup(String expression) {
		for (ExpressionUse use : List.of(ExpressionUse.KEY, ExpressionUse.CONDITION)) {
			assertThatIllegalArgumentException().isThrownBy(() -> CallerExpression.parse(expression, use, TYPES))
				.withMessageContainingAll("is not supported in an expression", "that is not a constant: ");
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "2 ^ 3", "header('a').length() ^ header('b').length()",
			"header('a').repeat(header('b').length())", "header('a').indent(header('b').length())",
			"header('a').formatted(header('b'))", "header('a').replace('a', header('b'))",
			"header('a').split(header('b'))", "user.replaceAll(header('a'), '')", "'abc'.matches(header('a'))",
			"user.indexOf(header('a'))", "user.lastIndexOf(header('a'))", "#names.?[#names.contains(#this)]",
			"#names.![#names.![#this]]", "#names.containsAll(#names)", "#names.removeAll(#names)",
			"'abc'.matches('(a+)+b')", "#name.split('(a+)+b')", "#name.replaceAll('(a+)+b', '')" })
	void unboundedWorkIsReportedAtStartup(String expression) {
		for (ExpressionUse use : ExpressionUse.values()) {
			assertThatIllegalArgumentException().isThrownBy(() -> CallerExpression.parse(expression, use, TYPES))
				.withMessageContaining("is not supported in an expression");
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "#n.pow", "#n.toBigInteger()", "#n.toPlainString()", "#n.longValue()", "#n.bitCount",
			"#n.not", "#n.signum()", "#n.chars()", "#n.lines()", "#n.stream()" })
	void workOfTheJdkFailsIfTheTypeIsKnownOnlyAtTheRequest(String expression) {
		for (Object value : List.of(new BigDecimal("1E+50000000"), BigInteger.TEN, "a", List.of("a"))) {
			assertThatExceptionOfType(ExpressionException.class).isThrownBy(() -> of(expression, value));
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "header('a').contains('b')", "'a,b'.contains(header('a'))",
			"authorities.contains(header('a'))", "#names.contains(#name)", "header('a').startsWith(header('b'))",
			"header('a').endsWith(#name)", "claim('groups').contains('a')" })
	void linearWorkIsAllowed(String expression) {
		assertThat(CallerExpression.parse(expression, ExpressionUse.CONDITION, TYPES)).isNotNull();
	}

	@Test
	void joinedTextIsBounded() {
		String half = "a".repeat(50_000);
		assertThat(of("'' + #n + #n", half)).isEqualTo(half + half);
		assertThatExceptionOfType(InvalidRequestValueException.class).isThrownBy(() -> of("'a' + #n + #n", half));
	}

	/** Without a bound, each of these would take minutes, or overflow the stack. */
	@ParameterizedTest
	@ValueSource(strings = { "(a+)+b", "(a|b)*c", "(.*)(.*)(.*)(.*)(.*)x" })
	void regularExpressionIsBounded(String pattern) {
		for (String text : List.of("a".repeat(5_000), "a".repeat(2_000_000))) {
			assertTimeoutPreemptively(Duration.ofSeconds(60),
					() -> assertThat(catchThrowable(() -> of("#n matches '" + pattern + "'", text)))
						.isInstanceOf(InvalidRequestValueException.class));
		}
		assertThat(of("#n matches '(a+)+b'", "aaab")).isEqualTo(true);
		assertThat(of("#n matches '(a+)+b'", "aaac")).isEqualTo(false);
	}

	@ParameterizedTest
	@ValueSource(strings = { "#n", "#n + 1", "1 - #n", "#n * 2", "#n / 3", "-#n", "#n > 5", "5 < #n", "'a' + #n",
			"'abc'.substring(#n)", "#list[0] + 1", "'abc'.substring(#list[0])", "#n.compareTo(1)", "#list",
			"#n ? 1 : 2" })
	void numberIsNeverExpanded(String expression) {
		for (Number number : HUGE) {
			Arguments caller = new Arguments(Map.of("n", number, "list", List.of(number)));
			Map<String, Class<?>> types = Map.of("n", Object.class, "list", Object.class);
			assertTimeoutPreemptively(Duration.ofSeconds(60),
					() -> assertThat(catchThrowable(
							() -> CallerExpression.parse(expression, ExpressionUse.KEY, types).evaluateKey(caller)))
						.isInstanceOfAny(InvalidRequestValueException.class, ExpressionException.class,
								IllegalArgumentException.class));
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "#n == 5", "5 == #n", "#list.contains(5)", "#n == #other", "!(#n != 5)" })
	void numberIsComparedWithoutBeingExpanded(String expression) {
		for (Number number : HUGE) {
			Arguments caller = new Arguments(Map.of("n", number, "list", List.of(number), "other", 0.5));
			Map<String, Class<?>> types = Map.of("n", Object.class, "list", Object.class, "other", Object.class);
			assertTimeoutPreemptively(Duration.ofSeconds(60),
					() -> assertThat(CallerExpression.parse(expression, ExpressionUse.KEY, types).evaluate(caller))
						.isEqualTo(false));
		}
	}

	private static @Nullable Object of(String expression, Object value) {
		return CallerExpression.parse(expression, ExpressionUse.KEY, TYPES).evaluate(Arguments.of("n", value));
	}

}
