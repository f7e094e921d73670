package io.tierlimit.autoconfigure.settings;

import java.time.Duration;

import io.tierlimit.autoconfigure.environment.PropertyOrigins;
import io.tierlimit.rule.reader.Problems;
import io.tierlimit.rule.reader.RuleProblems;

import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.convert.DurationStyle;

/**
 * Collects the problems of properties outside of the rules, with the places of the
 * properties, and their values as they are written.
 *
 * @param places the places of all properties
 * @param problems collects all problems
 */
record SettingsProblems(PropertyOrigins places, Problems problems) {

	/**
	 * Adds a problem.
	 * @param problem the problem, without a full stop
	 * @param fix the fix, in which the place of the property replaces {@code {}}; without
	 * {@code {}}, the place follows the fix
	 * @param property the property
	 */
	void add(String problem, String fix, String property) {
		this.problems.add(problem, fix, this.places.find(ConfigurationPropertyName.of(property)));
	}

	/**
	 * Adds a problem unless a value is valid.
	 * @param valid whether the value is valid
	 * @param property the property
	 * @param requirement the requirement, such as {@code must be at least 1}
	 * @param value the default value, for a property that is not set
	 */
	void require(boolean valid, String property, String requirement, Object value) {
		if (!valid) {
			String text = this.places.text(ConfigurationPropertyName.of(property));
			add(property + " " + requirement + " (was " + ((text != null) ? "'" + text + "'" : value) + ")", "Correct",
					property);
		}
	}

	/** Adds a problem if a time is not within a range. */
	void requireRange(String property, Duration value, String least, String most) {
		require(value.compareTo(DurationStyle.SIMPLE.parse(least)) >= 0
				&& value.compareTo(DurationStyle.SIMPLE.parse(most)) <= 0, property,
				"must be from " + least + " to " + most, value);
	}

	/**
	 * Reads a value, and adds a problem if the value is not valid.
	 * @param property the property
	 * @param reading throws an {@code IllegalArgumentException} if the value is not
	 * valid; the message may begin with the property
	 */
	void attempt(String property, Runnable reading) {
		try {
			reading.run();
		}
		catch (IllegalArgumentException ex) {
			String message = String.valueOf(ex.getMessage());
			String text = this.places.text(ConfigurationPropertyName.of(property));
			add((message.startsWith(property) ? "" : property + ": ")
					+ ((text != null) ? RuleProblems.withText(message, text) : message), "Correct", property);
		}
	}

}
