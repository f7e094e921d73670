package io.tierlimit.autoconfigure.rules;

import java.util.Map;
import java.util.function.Supplier;

import io.tierlimit.key.CallerExpression;
import io.tierlimit.rule.reader.RuleProblems;
import org.jspecify.annotations.Nullable;

import org.springframework.core.ResolvableType;

/**
 * Checks expressions against the types of a method's arguments.
 */
final class ArgumentTypes {

	private ArgumentTypes() {
	}

	/**
	 * Parses an expression and checks it.
	 * @param parsing parses it
	 * @param arguments the types by the names of the arguments
	 * @return the expression, or {@code null} if it is not valid, which is added
	 */
	static @Nullable CallerExpression check(String property, Supplier<CallerExpression> parsing,
			Map<String, ResolvableType> arguments, RuleProblems problems) {
		return problems.attempt(property, () -> {
			CallerExpression expression = parsing.get();
			expression.check(arguments)
				.forEach((doubt) -> problems.warn(property + " fails unless the value is of a subclass: " + doubt,
						"Correct", property));
			return expression;
		});
	}

}
