package io.tierlimit.autoconfigure.rules;

import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;

import io.tierlimit.key.CallerExpression;
import org.jspecify.annotations.Nullable;

import org.springframework.core.ResolvableType;

/**
 * Notes what is wrong with one rule, wherever it is written.
 */
final class RuleProblems {

	private final String owner;

	private final Function<String, String> places;

	private final Problems problems;

	private final Set<String> wrong = new HashSet<>();

	/**
	 * Creates notes.
	 * @param owner the rule, as a sentence begins
	 * @param places where a property of the rule is written
	 * @param problems where all problems are collected
	 */
	RuleProblems(String owner, Function<String, String> places, Problems problems) {
		this.owner = owner;
		this.places = places;
		this.problems = problems;
	}

	/**
	 * Notes a problem.
	 * @param problem what is wrong, without a full stop
	 * @param cure what to do with the property, such as {@code Correct}
	 * @param property the property's name; empty for the rule as a whole
	 */
	void add(String problem, String cure, String property) {
		this.wrong.add(property);
		this.problems.add(this.owner + " " + problem, cure, this.places.apply(property));
	}

	/**
	 * Whether a problem with a property was noted, so that its value is missing.
	 * @param property the property's name
	 */
	boolean has(String property) {
		return this.wrong.contains(property);
	}

	/**
	 * Notes what may be wrong, but does not stop startup.
	 * @param problem what may be wrong, without a full stop
	 * @param cure what to do with the property
	 * @param property the property's name; empty for the rule as a whole
	 */
	void warn(String problem, String cure, String property) {
		this.problems.warn(this.owner + " " + problem + ". " + cure + " " + this.places.apply(property));
	}

	/**
	 * Reads an expression and checks it against the types of a method's arguments.
	 * @param parsing parses it
	 * @param arguments the types by the names of the arguments
	 * @return the expression, or {@code null} if it is wrong, which is noted
	 */
	@Nullable CallerExpression expression(String property, Supplier<CallerExpression> parsing,
			Map<String, ResolvableType> arguments) {
		return attempt(property, () -> {
			CallerExpression expression = parsing.get();
			expression.check(arguments)
				.forEach((doubt) -> warn("has a " + property + " that fails unless a subclass is given: " + doubt,
						"Correct", property));
			return expression;
		});
	}

	/**
	 * Reads a value.
	 * @return the value, or {@code null} if it is wrong, which is noted
	 */
	<T> @Nullable T attempt(String property, Supplier<T> reading) {
		try {
			return reading.get();
		}
		catch (IllegalArgumentException ex) {
			this.wrong.add(property);
			this.problems.add(this.owner + ": " + ex.getMessage(), "Correct", this.places.apply(property));
			return null;
		}
	}

}
