package io.tierlimit.key;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import io.tierlimit.spi.Caller;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link CallerExpression} as a cost.
 */
class CostExpressionTests {

	@ParameterizedTest
	@CsvSource(delimiter = ';', quoteCharacter = '"', commentCharacter = '~', textBlock = """
			#rows * 10; 429496730; 4294967300
			#rows + 1; 2147483647; 2147483648
			#rows + #rows; 1500000000; 3000000000
			-#rows; -2147483648; 2147483648
			#rows / 10; 9; 1
			#rows / 10; 20; 2
			#rows / 3 * 3; 10; 12
			#rows / -1 + 20; 10; 10
			(0 - #rows) / -3; 10; 4
			#rows > 10 ? #rows * 2 : 1; 1500000000; 3000000000
			(#rows > 10 and true) or false ? #rows - 1 : 1; 11; 10
			!(#rows * 10 < 0) ? 5 : 1; 429496730; 5
			#rows * 10 == 4 ? 1 : 5; 429496730; 5
			#rows ?: 7; 3; 3
			""")
	void costIsCalculatedExactlyAndRoundedUp(String cost, int rows, long permits) {
		CallerExpression parsed = CallerExpression.parse(cost, ExpressionUse.COST, Map.of("rows", int.class));
		assertThat(parsed.evaluateCost(Arguments.of("rows", rows))).isEqualTo(permits);
	}

	@ParameterizedTest
	@ValueSource(strings = { "#n * 2", "#n + 1", "#n * #n", "-1 - #n - #n", "#n / 0", "1 - #n", "-#n", "0 - #n * #n",
			"#none", "(0 - #n - 1) / -1", "-(0 - #n - 1)" })
	void costThatOverflowsOrIsNegativeFails(String cost) {
		CallerExpression parsed = CallerExpression.parse(cost, ExpressionUse.COST,
				Map.of("n", long.class, "none", Integer.class));
		assertThatExceptionOfType(ExpressionException.class)
			.isThrownBy(() -> parsed.evaluateCost(Arguments.of("n", Long.MAX_VALUE)));
	}

	@Test
	void wholeNumbersAndDigitsAreCosts() {
		CallerExpression cost = cost("#n");
		for (Object number : List.of(3, 3L, (short) 3, (byte) 3, "3", Optional.of(3), "000000000000000003")) {
			assertThat(cost.evaluateCost(Arguments.of("n", number))).as(number.getClass().getName()).isEqualTo(3);
		}
		for (Object number : List.of(-1, 2.5, 2.5f, new BigInteger("3"), new BigDecimal("1E+50000000"), Double.NaN,
				true, 'a', List.of(1), "-3", "3.0", "+3", " 3", "", "\u0663", "1000000000000000000",
				Optional.empty())) {
			assertThatExceptionOfType(ExpressionException.class).as(number.getClass().getName())
				.isThrownBy(() -> cost.evaluateCost(Arguments.of("n", number)));
		}
	}

	/** If the digits were joined to a string, the cost would be much higher. */
	@ParameterizedTest
	@CsvSource(delimiter = ';', textBlock = """
			(param('n') ?: 1) + 10; 13
			10 + (param('n') ?: 1); 13
			(param('none') ?: 1) + 10; 11
			#n + #n; 6
			claim('n') + 1; 4
			(param('n') ?: 1) == 3 ? 50 : 1; 50
			3 != (param('n') ?: 1) ? 50 : 1; 1
			claim('n') * 2 > 5 ? claim('n') / 2 : 1; 2
			""")
	void stringOfDigitsInACostIsANumber(String cost, long permits) {
		Caller caller = Arguments.of("n", "3");
		assertThat(cost(cost).evaluateCost(caller)).isEqualTo(permits);
		for (String text : List.of("x", "-3", "3.0", "", "1000000000000000000")) {
			Caller other = Arguments.of("n", text);
			if (!cost.contains("?:") || (!text.isEmpty() && !cost.contains("none"))) {
				assertThatExceptionOfType(ExpressionException.class).as(text)
					.isThrownBy(() -> cost(cost).evaluateCost(other));
			}
		}
	}

	@ParameterizedTest
	@CsvSource(delimiter = ';', quoteCharacter = '"', commentCharacter = '~', textBlock = """
			#amount; '#amount' is a java.math.BigDecimal, but a cost must be a whole number
			#order; but a cost must be a whole number
			#flag; is a boolean, but a cost must be a whole number
			param('n') + 1; 'param('n')' is a java.lang.String, but an operand must be a whole number
			""")
	void costOfAnotherTypeIsReported(String cost, String problem) {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> CallerExpression.parse(cost, ExpressionUse.COST,
					Map.of("amount", BigDecimal.class, "order", Object[].class, "flag", boolean.class)))
			.withMessageContaining(problem);
	}

	private static CallerExpression cost(String text) {
		return CallerExpression.parse(text, ExpressionUse.COST, Map.of("n", Object.class));
	}

}
