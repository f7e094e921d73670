package io.tierlimit.autoconfigure.settings;

import java.time.Duration;

import io.tierlimit.autoconfigure.environment.PropertyOrigins;
import io.tierlimit.rule.reader.Problems;
import io.tierlimit.rule.reader.RuleProblems;

import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.convert.DurationStyle;

/**
 * Collects the problems of properties outside of the rules, with the places and the texts
 * of the properties.
 *
 * @param places the places of all properties
 * @param problems collects all problems
 */
record SettingsProblems(PropertyOrigins places, Problems problems) {

	/**
	 * Adds a problem.
	 * @param problem the problem, without a full stop
	 * @param fix the fix, which the place of the property replaces {@code {}} in, or
	 * follows
	 * @param property the property
	 */
	void add(String problem, String fix, String property) {
		this.problems.add(problem, fix, this.places.find(ConfigurationPropertyName.of(property)));
	}

	/**
	 * Adds a value unless it is valid.
	 * @param valid whether it is
	 * @param property the property
	 * @param requirement the requirement, such as {@code must be at least 1}
	 * @param value the value, if it is the default
	 */
	void require(boolean valid, String property, String requirement, Object value) {
		if (!valid) {
			String text = this.places.text(ConfigurationPropertyName.of(property));
			add(property + " " + requirement + " (was " + ((text != null) ? "'" + text + "'" : value) + ")", "Correct",
					property);
		}
	}

	/** Adds a time that is not within a range. */
	void requireRange(String property, Duration value, String least, String most) {
		require(value.compareTo(DurationStyle.SIMPLE.parse(least)) >= 0
				&& value.compareTo(DurationStyle.SIMPLE.parse(most)) <= 0, property,
				"must be from " + least + " to " + most, value);
	}

	/** Adds a number that is not within a range. */
	void requireRange(String property, int value, int least, int most) {
		require(value >= least && value <= most, property, "must be from " + least + " to " + most, value);
	}

	/**
	 * Reads a value, and adds it if it is not valid.
	 * @param property the property
	 * @param reading throws an {@code IllegalArgumentException} if the value is not valid
	 */
	void attempt(String property, Runnable reading) {
		try {
			reading.run();
		}
		catch (IllegalArgumentException ex) {
			String message = String.valueOf(ex.getMessage());
			String text = this.places.text(ConfigurationPropertyName.of(property));
			add(property + ": " + ((text != null) ? RuleProblems.withText(message, text) : message), "Correct",
					property);
		}
	}

}
