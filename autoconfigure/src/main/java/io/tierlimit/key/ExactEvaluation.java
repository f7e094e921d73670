package io.tierlimit.key;

import java.util.Optional;

import io.tierlimit.spi.InvalidFactException;
import org.jspecify.annotations.Nullable;

import org.springframework.core.convert.TypeDescriptor;
import org.springframework.expression.spel.ExpressionState;
import org.springframework.expression.spel.SpelEvaluationException;
import org.springframework.expression.spel.SpelMessage;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.Elvis;
import org.springframework.expression.spel.ast.OpAnd;
import org.springframework.expression.spel.ast.OpDivide;
import org.springframework.expression.spel.ast.OpEQ;
import org.springframework.expression.spel.ast.OpGE;
import org.springframework.expression.spel.ast.OpGT;
import org.springframework.expression.spel.ast.OpLE;
import org.springframework.expression.spel.ast.OpLT;
import org.springframework.expression.spel.ast.OpMinus;
import org.springframework.expression.spel.ast.OpModulus;
import org.springframework.expression.spel.ast.OpMultiply;
import org.springframework.expression.spel.ast.OpNE;
import org.springframework.expression.spel.ast.OpOr;
import org.springframework.expression.spel.ast.OpPlus;
import org.springframework.expression.spel.ast.Operator;
import org.springframework.expression.spel.ast.OperatorNot;
import org.springframework.expression.spel.ast.Ternary;

/**
 * Evaluates an expression once. SpEL evaluates the facts, their members and the literals.
 * This class evaluates the operators between them, because SpEL's arithmetic overflows
 * silently ({@code #rows * 10} can be 0) and expands every {@link java.math.BigDecimal}.
 * {@link ExpressionTypes} rejects arithmetic in places that this class does not reach.
 */
final class ExactEvaluation {

	/** As in SpEL. */
	private static final int LONGEST_TEXT = 100_000;

	private static final TypeDescriptor BOOLEAN = TypeDescriptor.valueOf(Boolean.class);

	private final ExpressionState state;

	private final boolean fractions;

	/**
	 * Creates an evaluation.
	 * @param state the caller and the context
	 * @param fractions whether a quotient of whole numbers is exact; SpEL truncates it
	 */
	ExactEvaluation(ExpressionState state, boolean fractions) {
		this.state = state;
		this.fractions = fractions;
	}

	/** The value: the result of SpEL, or a {@link Fraction}. */
	@Nullable Object evaluate(SpelNode node) {
		if (node instanceof Ternary) {
			return evaluate(node.getChild(isTrue(node.getChild(0)) ? 1 : 2));
		}
		if (node instanceof Elvis) {
			Object value = evaluate(node.getChild(0));
			Object present = (value instanceof Optional<?> optional) ? optional.orElse(null) : value;
			return (present == null || present.equals("")) ? evaluate(node.getChild(1)) : present;
		}
		if (node instanceof OpAnd) {
			return isTrue(node.getChild(0)) && isTrue(node.getChild(1));
		}
		if (node instanceof OpOr) {
			return isTrue(node.getChild(0)) || isTrue(node.getChild(1));
		}
		if (node instanceof OperatorNot) {
			return !isTrue(node.getChild(0));
		}
		if (node instanceof Operator && isComparison(node)) {
			return compare(node, evaluate(node.getChild(0)), evaluate(node.getChild(1)));
		}
		return isArithmetic(node) ? calculate(node) : node.getValue(this.state);
	}

	static boolean isArithmetic(SpelNode node) {
		return node instanceof OpPlus || node instanceof OpMinus || node instanceof OpMultiply
				|| node instanceof OpDivide || node instanceof OpModulus;
	}

	static boolean isComparison(SpelNode node) {
		return node instanceof OpEQ || node instanceof OpNE || node instanceof OpLT || node instanceof OpLE
				|| node instanceof OpGT || node instanceof OpGE;
	}

	private boolean isTrue(SpelNode node) {
		Object value = plain(evaluate(node));
		Object converted = (value != null) ? this.state.convertValue(value, BOOLEAN) : null;
		if (converted == null) {
			throw new SpelEvaluationException(node.getStartPosition(), SpelMessage.TYPE_CONVERSION_ERROR, "null",
					"boolean");
		}
		return (boolean) converted;
	}

	private boolean compare(SpelNode node, @Nullable Object left, @Nullable Object right) {
		if (node instanceof OpEQ || node instanceof OpNE) {
			return areEqual(left, right) == (node instanceof OpEQ);
		}
		int order = order(left, right);
		if (node instanceof OpLT) {
			return order < 0;
		}
		if (node instanceof OpLE) {
			return order <= 0;
		}
		return (node instanceof OpGT) ? order > 0 : order >= 0;
	}

	private boolean areEqual(@Nullable Object left, @Nullable Object right) {
		if (areCalculated(left, right)) {
			return number(left).compareTo(number(right)) == 0;
		}
		return Operator.equalityCheck(this.state.getEvaluationContext(), plain(left), plain(right));
	}

	private int order(@Nullable Object left, @Nullable Object right) {
		if (areCalculated(left, right)) {
			return number(left).compareTo(number(right));
		}
		return this.state.getTypeComparator().compare(plain(left), plain(right));
	}

	/** Whether both are numbers, and one was calculated here. */
	private static boolean areCalculated(@Nullable Object left, @Nullable Object right) {
		return isNumber(left) && isNumber(right) && (left instanceof Fraction || right instanceof Fraction);
	}

	private static boolean isNumber(@Nullable Object value) {
		return value instanceof Number || value instanceof Fraction;
	}

	/** A value that SpEL can compare. */
	private static @Nullable Object plain(@Nullable Object value) {
		if (value == null) {
			return null;
		}
		Fraction.check(value);
		if (value instanceof CharSequence text) {
			return text.toString();
		}
		return (value instanceof Fraction fraction) ? fraction.toNumber() : value;
	}

	private Object calculate(SpelNode node) {
		Object left = evaluate(node.getChild(0));
		if (node.getChildCount() == 1) {
			return (node instanceof OpMinus) ? number(left).negated() : number(left);
		}
		Object right = evaluate(node.getChild(1));
		if (node instanceof OpPlus && (left instanceof String || right instanceof String)) {
			return join(text(left), text(right));
		}
		Fraction first = number(left);
		Fraction second = number(right);
		if (node instanceof OpPlus) {
			return first.plus(second);
		}
		if (node instanceof OpMinus) {
			return first.plus(second.negated());
		}
		if (node instanceof OpMultiply) {
			return first.times(second);
		}
		if (node instanceof OpModulus) {
			return first.remainder(second);
		}
		Fraction quotient = first.dividedBy(second);
		return (first.integer() && second.integer() && !this.fractions) ? quotient.truncated() : quotient;
	}

	private static Fraction number(@Nullable Object value) {
		if (value instanceof Fraction fraction) {
			return fraction;
		}
		if (value instanceof Number number) {
			return Fraction.of(number);
		}
		throw new ArithmeticException("An operand is " + ((value != null) ? "a " + value.getClass().getName() : "null")
				+ ", and not a number");
	}

	private static String text(@Nullable Object value) {
		return String.valueOf(KeyText.of(plain(value)));
	}

	private static String join(String left, String right) {
		if ((long) left.length() + right.length() > LONGEST_TEXT) {
			throw new InvalidFactException("A text has more than " + LONGEST_TEXT + " characters", null);
		}
		return left + right;
	}

}
