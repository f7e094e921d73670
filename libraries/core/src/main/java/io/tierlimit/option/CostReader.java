package io.tierlimit.option;

import java.util.Map;

import io.tierlimit.key.CallerExpression;
import io.tierlimit.key.ExpressionException;
import io.tierlimit.key.ExpressionUse;
import io.tierlimit.limit.Algorithm;
import io.tierlimit.limit.Limit;
import io.tierlimit.limit.Overdraft;
import io.tierlimit.rule.RuleLimits;
import io.tierlimit.rule.reader.LimitReader;
import io.tierlimit.rule.reader.RuleProblems;
import io.tierlimit.spi.Caller;
import io.tierlimit.spi.InvalidRequestValueException;
import org.jspecify.annotations.Nullable;

/**
 * Checks the cost of a rule.
 *
 * @param problems collects the problems
 * @param arguments the types of a method's arguments by their names
 */
public record CostReader(RuleProblems problems, Map<String, Class<?>> arguments) {

	private static final String PROPERTY = "cost";

	/**
	 * Checks a cost.
	 * @param cost a number or an expression
	 * @param limits the limits that must allow the cost; {@code null} if they are not
	 * valid
	 * @param overdraft the permits that a request can acquire before they are available
	 */
	public void check(String cost, @Nullable RuleLimits limits, Overdraft overdraft) {
		if (!cost.chars().allMatch((c) -> c >= '0' && c <= '9')) {
			checkExpression(cost, limits, overdraft);
		}
		else if (limits != null) {
			checkFixed(cost, (cost.length() > 18) ? Long.MAX_VALUE : Long.parseLong(cost), limits, overdraft);
		}
	}

	private void checkExpression(String cost, @Nullable RuleLimits limits, Overdraft overdraft) {
		CallerExpression expression = this.problems.attempt(PROPERTY,
				() -> CallerExpression.parse(cost, ExpressionUse.COST, this.arguments));
		if (expression == null || !expression.facts().isEmpty()) {
			return;
		}
		Long permits = constant(expression);
		if (permits == null) {
			this.problems.add("cost must be a whole number of 0 or more (was '" + cost + "')", "Correct", PROPERTY);
		}
		else if (limits != null) {
			checkFixed(cost, permits, limits, overdraft);
		}
	}

	private static @Nullable Long constant(CallerExpression expression) {
		try {
			return expression.evaluateCost(Caller.UNKNOWN);
		}
		catch (ExpressionException | InvalidRequestValueException ex) {
			return null;
		}
	}

	private void checkFixed(String cost, long permits, RuleLimits limits, Overdraft overdraft) {
		if (limits.defaultPlan() == null && !limits.standard().canPass(permits, overdraft)) {
			this.problems.add(
					"cost " + cost + " is above the capacity of " + limits.standard().capacity()
							+ ", so the rule would reject every request",
					"Lower {}, or " + fix(limits.standard(), "the"), PROPERTY);
		}
		limits.plans().forEach((plan, planLimit) -> {
			Limit limit = planLimit.limit();
			if (limit != null && !limit.canPass(permits, overdraft)) {
				this.problems.add(
						"cost " + cost + " is above the capacity of " + limit.capacity() + " of plan '" + plan
								+ "', so the rule would reject every request on that plan",
						"Lower {}, or " + fix(limit, "the plan's"), PROPERTY);
			}
		});
	}

	private static String fix(Limit limit, String owner) {
		if (limit.algorithm() == Algorithm.LEAKY_BUCKET) {
			return "set another algorithm";
		}
		return "raise " + owner + " "
				+ (limit.algorithm().hasBurst() ? "burst" : LimitReader.required(limit.algorithm()));
	}

}
