package io.tierlimit.autoconfigure;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

import io.tierlimit.rule.InvalidRulesException;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;

/**
 * Collects all that is wrong with the configuration, each with its place.
 */
final class Problems {

	private final List<String> sentences = new ArrayList<>();

	private final PropertyPlaces places;

	Problems(PropertyPlaces places) {
		this.places = places;
	}

	/**
	 * Notes a problem.
	 * @param problem what is wrong, without a full stop
	 * @param cure what to do with the property, such as {@code Correct}
	 * @param property where it stands
	 */
	void add(String problem, String cure, ConfigurationPropertyName property) {
		this.sentences.add(problem + ". " + cure + " " + this.places.find(property) + ".");
	}

	/**
	 * Reads a value.
	 * @return the value, or {@code null} if it is wrong, which is noted
	 */
	<T> @Nullable T attempt(String owner, ConfigurationPropertyName property, Supplier<T> reading) {
		try {
			return reading.get();
		}
		catch (IllegalArgumentException ex) {
			add(owner + ex.getMessage(), "Correct", property);
			return null;
		}
	}

	/** Stops the start if anything is wrong. */
	void report() {
		if (!this.sentences.isEmpty()) {
			throw new InvalidRulesException(this.sentences);
		}
	}

}
