package io.tierlimit.autoconfigure;

import java.util.function.Function;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * Notes what is wrong with one rule, wherever it is written.
 */
final class RuleProblems {

	private final String owner;

	private final Function<String, String> places;

	private final Problems problems;

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
		this.problems.add(this.owner + " " + problem, cure, this.places.apply(property));
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
			this.problems.add(this.owner + ": " + ex.getMessage(), "Correct", this.places.apply(property));
			return null;
		}
	}

}
