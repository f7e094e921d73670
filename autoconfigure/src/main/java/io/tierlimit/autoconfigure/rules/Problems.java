package io.tierlimit.autoconfigure.rules;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import io.tierlimit.rule.InvalidRulesException;

import org.springframework.boot.context.properties.source.ConfigurationPropertyName;

/**
 * Collects all problems of the configuration, so that they are reported together.
 */
final class Problems {

	private static final String PLACE = "{}";

	private final List<String> sentences = new ArrayList<>();

	private final Set<String> warnings = new LinkedHashSet<>();

	/**
	 * Adds a problem.
	 * @param problem the problem, without a full stop
	 * @param fix the fix, without a full stop; {@code {}} is replaced by the place, which
	 * is appended otherwise
	 * @param place the property and its place
	 */
	void add(String problem, String fix, String place) {
		add(sentences(problem, fix, place));
	}

	/** Adds a problem and its fix as full sentences. */
	void add(String sentences) {
		this.sentences.add(sentences);
	}

	/**
	 * Adds a warning: the value is valid, but may be a mistake. It is logged when the
	 * application has started.
	 * @param problem the possible problem, without a full stop
	 * @param fix the fix, as for {@link #add}
	 * @param place the property and its place
	 */
	void warn(String problem, String fix, String place) {
		this.warnings.add(sentences(problem, fix, place));
	}

	/**
	 * Adds a value that is not valid.
	 * @param origins has the text that the user wrote
	 * @param property the property
	 * @param requirement the requirement, such as {@code must be at least 1}
	 * @param value the value, if it is the default
	 */
	void addInvalid(PropertyOrigins origins, ConfigurationPropertyName property, String requirement, Object value) {
		String text = origins.text(property);
		add(property + " " + requirement + " (was " + ((text != null) ? "'" + text + "'" : value) + ")", "Correct",
				origins.find(property));
	}

	/**
	 * Reads a value, and adds it if it is not valid.
	 * @param origins has the text that the user wrote
	 * @param property the property
	 * @param reading throws an {@code IllegalArgumentException} if the value is not valid
	 */
	void attempt(PropertyOrigins origins, ConfigurationPropertyName property, Runnable reading) {
		try {
			reading.run();
		}
		catch (IllegalArgumentException ex) {
			String message = String.valueOf(ex.getMessage());
			String text = origins.text(property);
			add(property + ": " + ((text != null) ? RuleProblems.withText(message, text) : message), "Correct",
					origins.find(property));
		}
	}

	private static String sentences(String problem, String fix, String place) {
		int index = fix.indexOf(PLACE);
		return problem + ". " + ((index < 0) ? fix + " " + place
				: fix.substring(0, index) + place + fix.substring(index + PLACE.length())) + ".";
	}

	int count() {
		return this.sentences.size();
	}

	/** The problems as full sentences. */
	List<String> sentences() {
		return List.copyOf(this.sentences);
	}

	/** The warnings as full sentences. */
	List<String> warnings() {
		return List.copyOf(this.warnings);
	}

	/** Stops startup if there is any problem. */
	void report() {
		if (!this.sentences.isEmpty()) {
			throw new InvalidRulesException(this.sentences);
		}
	}

}
