package io.tierlimit.key;

import java.util.Collection;
import java.util.Map;

import io.tierlimit.logging.OnceLogger;
import io.tierlimit.spi.Caller;
import io.tierlimit.spi.InvalidRequestValueException;
import io.tierlimit.spi.PlanResolver;
import org.jspecify.annotations.Nullable;

/**
 * Derives the plan from an expression, whose value is a string or a list of strings. Of a
 * list, the first string in alphabetical order is used. If the value has another type or
 * the evaluation fails, the caller has no plan, and a warning is logged once.
 */
public final class ExpressionPlanResolver implements PlanResolver {

	private static final String PROPERTY = "tierlimit.plan.key";

	private final CallerExpression key;

	private final OnceLogger warnings = new OnceLogger(ExpressionPlanResolver.class);

	private ExpressionPlanResolver(CallerExpression key) {
		this.key = key;
	}

	/**
	 * Creates a resolver.
	 * @param key an expression over {@link ExpressionFact#PLAN_SOURCES}
	 * @return the resolver
	 * @throws IllegalArgumentException if the expression is not valid, or if it reads no
	 * fact or a fact that is not one of these
	 */
	public static ExpressionPlanResolver parse(String key) {
		CallerExpression expression = CallerExpression.parse(key, ExpressionUse.PLAN, Map.of());
		boolean trusted = expression.facts()
			.stream()
			.allMatch((read) -> ExpressionFact.PLAN_SOURCES.contains(read.fact()));
		if (!trusted || expression.facts().isEmpty()) {
			throw new IllegalArgumentException("'" + key
					+ "' must read claim('name'), requestAttribute('name'), sessionAttribute('name'), user or "
					+ "authorities, and nothing else, because a client could choose its plan by any other value, such "
					+ "as a header. To derive the plan from a value that your code verifies, define a PlanResolver "
					+ "bean");
		}
		return new ExpressionPlanResolver(expression);
	}

	/**
	 * Evaluates the expression.
	 * @throws InvalidRequestValueException if a value is too long for the expression
	 */
	@Override
	public @Nullable String resolve(Caller caller) {
		Object value = evaluate(caller);
		if (value instanceof Collection<?> several) {
			return several.stream().map(this::text).filter((text) -> !text.isBlank()).sorted().findFirst().orElse(null);
		}
		return (value != null) ? text(value) : null;
	}

	private @Nullable Object evaluate(Caller caller) {
		try {
			return this.key.evaluate(caller);
		}
		catch (ExpressionException ex) {
			warn(ExpressionException.class, "it failed: " + ex.getMessage());
			return null;
		}
	}

	/** Returns an empty string for a value that is not a string. */
	private String text(@Nullable Object value) {
		if (value instanceof String text) {
			return text;
		}
		if (value != null) {
			warn(value.getClass(), "the value is not a string (" + value.getClass().getName() + ")");
		}
		return "";
	}

	private void warn(Class<?> once, String reason) {
		this.warnings.warn(once, "A caller has no plan by " + PROPERTY + " '" + this.key.text() + "' because " + reason,
				null);
	}

}
