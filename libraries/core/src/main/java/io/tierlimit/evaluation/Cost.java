package io.tierlimit.evaluation;

import java.util.Map;
import java.util.Set;

import io.tierlimit.key.CallerExpression;
import io.tierlimit.key.ExpressionException;
import io.tierlimit.key.ExpressionFact;
import io.tierlimit.key.ExpressionUse;
import io.tierlimit.logging.OnceLogger;
import io.tierlimit.rule.Rule;
import io.tierlimit.spi.Caller;
import io.tierlimit.spi.InvalidRequestValueException;
import org.jspecify.annotations.Nullable;

/**
 * The cost of a request under a rule: a fixed number or an expression. A request is
 * invalid if the expression does not return a whole number of 0 or more. The cost is at
 * least 1 if the expression reads a header or a parameter.
 *
 * @param rule the id of the rule
 * @param expression the expression; {@code null} if the cost is a fixed number
 * @param minimum the lowest value of the expression; the cost itself if there is none
 * @param warnings logs each warning once
 */
record Cost(String rule, @Nullable CallerExpression expression, long minimum, OnceLogger warnings) {

	static Cost parse(Rule rule, Map<String, Class<?>> arguments, OnceLogger warnings) {
		String text = rule.cost();
		if (Rule.isNumber(text)) {
			// A number with more digits exceeds every limit: startup has rejected it.
			long fixed = (text.length() > 18) ? Long.MAX_VALUE : Long.parseLong(text);
			return new Cost(rule.id(), null, fixed, warnings);
		}
		CallerExpression expression = CallerExpression.parse(text, ExpressionUse.COST, arguments);
		return new Cost(rule.id(), expression, expression.reads(ExpressionFact.MINIMUM_COST) ? 1 : 0, warnings);
	}

	boolean readsArguments() {
		return this.expression != null && this.expression.reads(Set.of(ExpressionFact.ARGUMENT));
	}

	boolean readsIdentity() {
		return this.expression != null && this.expression.reads(ExpressionFact.IDENTITY);
	}

	/**
	 * The cost of a request, in permits.
	 * @throws InvalidRequestValueException if the expression fails or its value is not a
	 * valid cost
	 */
	long of(Caller caller) {
		if (this.expression == null) {
			return this.minimum;
		}
		try {
			return Math.max(this.minimum, this.expression.evaluateCost(caller));
		}
		catch (ExpressionException ex) {
			this.warnings.warn("Rule '" + this.rule + "' treated a request as invalid because its cost '"
					+ this.expression.text() + "' is not a whole number of 0 or more: " + ex.getMessage());
			throw new InvalidRequestValueException("The cost of rule '" + this.rule + "' is not valid", ex);
		}
	}

}
