package io.tierlimit.evaluation;

import java.util.Collection;

import io.tierlimit.key.CallerExpression;
import io.tierlimit.key.ExpressionException;
import io.tierlimit.logging.OnceLogger;
import io.tierlimit.rule.Rule;
import io.tierlimit.spi.Caller;
import io.tierlimit.spi.InvalidFactException;
import org.jspecify.annotations.Nullable;

/**
 * The cost of a request under a rule: a fixed number or an expression. A request is
 * invalid if the expression does not return a number of 0 or more. An expression that
 * reads a header or a parameter costs at least 1.
 */
final class Cost {

	private final String rule;

	private final @Nullable CallerExpression expression;

	private final long least;

	private final OnceLogger warnings;

	private Cost(String rule, @Nullable CallerExpression expression, long least, OnceLogger warnings) {
		this.rule = rule;
		this.expression = expression;
		this.least = least;
		this.warnings = warnings;
	}

	static Cost parse(Rule rule, Collection<String> arguments, OnceLogger warnings) {
		String text = rule.cost();
		if (isDigits(text)) {
			// A number with more digits is beyond any limit, and was rejected at startup.
			long fixed = (text.length() > 18) ? Long.MAX_VALUE : Long.parseLong(text);
			return new Cost(rule.id(), null, fixed, warnings);
		}
		CallerExpression expression = CallerExpression.parseCost(text, arguments);
		return new Cost(rule.id(), expression, expression.readsHeaderOrParameter() ? 1 : 0, warnings);
	}

	private static boolean isDigits(String text) {
		return !text.isEmpty() && text.chars().allMatch((c) -> c >= '0' && c <= '9');
	}

	boolean readsArguments() {
		return this.expression != null && this.expression.readsArguments();
	}

	boolean readsIdentity() {
		return this.expression != null && this.expression.readsIdentity();
	}

	/** Whether the cost is the number 0. */
	boolean isZero() {
		return this.expression == null && this.least == 0;
	}

	/**
	 * The cost of a request, in permits.
	 * @throws InvalidFactException if the expression fails or its value is not a valid
	 * cost
	 */
	long of(Caller caller) {
		if (this.expression == null) {
			return this.least;
		}
		try {
			return Math.max(this.least, this.expression.evaluateCost(caller));
		}
		catch (ExpressionException ex) {
			this.warnings.warn("Rule '" + this.rule + "' rejected a request as invalid because its cost '"
					+ this.expression + "' is not a number of 0 or more: " + ex.getMessage());
			throw new InvalidFactException("The cost of rule '" + this.rule + "' is not valid", ex);
		}
	}

}
