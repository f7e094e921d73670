package io.tierlimit.autoconfigure.rules;

import java.util.Map;

import io.tierlimit.key.CallerExpression;
import io.tierlimit.key.ExpressionException;
import io.tierlimit.limit.Limit;
import io.tierlimit.limit.Overdraft;
import io.tierlimit.rule.ReservationOptions;
import io.tierlimit.rule.RuleLimits;
import io.tierlimit.spi.Caller;
import io.tierlimit.spi.InvalidFactException;
import org.jspecify.annotations.Nullable;

import org.springframework.core.ResolvableType;

/**
 * Checks what a request is to cost.
 */
final class CostReader {

	private static final String PROPERTY = "cost";

	private final RuleProblems problems;

	private final Map<String, ResolvableType> arguments;

	/**
	 * Creates a reader.
	 * @param problems where mistakes are noted
	 * @param arguments the types of a method's arguments by their names
	 */
	CostReader(RuleProblems problems, Map<String, ResolvableType> arguments) {
		this.problems = problems;
		this.arguments = arguments;
	}

	/**
	 * Checks a cost.
	 * @param limits what the cost must fit into; {@code null} if that is wrong itself
	 * @param reservations how long a request can wait for the rest of it
	 */
	void check(String cost, @Nullable RuleLimits limits, ReservationOptions reservations) {
		if (!cost.chars().allMatch((c) -> c >= '0' && c <= '9')) {
			checkExpression(cost, limits, reservations);
		}
		else if (limits != null) {
			checkFixed(cost, (cost.length() > 18) ? Long.MAX_VALUE : Long.parseLong(cost), limits,
					reservations.byWaiting());
		}
	}

	private void checkExpression(String cost, @Nullable RuleLimits limits, ReservationOptions reservations) {
		CallerExpression expression = this.problems.expression(PROPERTY,
				() -> CallerExpression.parseCost(cost, this.arguments.keySet()), this.arguments);
		if (expression == null || !expression.isConstant()) {
			return;
		}
		Long permits = constant(expression);
		if (permits == null) {
			this.problems.add("has cost '" + cost + "', which is not a whole number of 0 or more", "Correct", PROPERTY);
		}
		else if (limits != null) {
			checkFixed(cost, permits, limits, reservations.byWaiting());
		}
	}

	private static @Nullable Long constant(CallerExpression expression) {
		try {
			Object value = expression.evaluate(Caller.UNKNOWN);
			boolean whole = value instanceof Integer || value instanceof Long;
			return whole ? expression.evaluateCost(Caller.UNKNOWN) : null;
		}
		catch (ExpressionException | InvalidFactException ex) {
			return null;
		}
	}

	private void checkFixed(String cost, long permits, RuleLimits limits, Overdraft overdraft) {
		if (!limits.standard().canPass(permits, overdraft)) {
			this.problems.add(
					"has cost " + cost + " above its capacity of " + limits.standard().capacity()
							+ ", so that none can pass",
					"Lower the cost or " + cure(limits.standard()) + ":", PROPERTY);
		}
		limits.plans().forEach((plan, planLimit) -> {
			Limit limit = planLimit.limit();
			if (limit != null && !limit.canPass(permits, overdraft)) {
				this.problems.add(
						"has cost " + cost + " above the capacity of " + limit.capacity() + " of its plan '" + plan
								+ "', so that none can pass",
						"Lower the cost or " + cure(limit).replace("the ", "the plan's ") + ":", PROPERTY);
			}
		});
	}

	private static String cure(Limit limit) {
		return switch (limit.algorithm()) {
			case TOKEN_BUCKET -> "raise the burst";
			case FIXED_WINDOW -> "raise the capacity";
			case SLIDING_WINDOW, SLIDING_LOG -> "raise the rate";
			case LEAKY_BUCKET -> "choose another algorithm";
		};
	}

}
