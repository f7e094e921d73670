package io.tierlimit.autoconfigure.rules;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import io.tierlimit.spi.RuleSource;

/**
 * A copy of the properties that a rule source has returned, with the place of each
 * property.
 *
 * @param bean the name of the source's bean
 * @param properties the properties of all rules
 * @param overrides the properties of all overrides
 */
record SourceProperties(String bean, List<Property> properties, SourceOverrides overrides) {

	/**
	 * Reads a source.
	 * @throws Exception if the source cannot be read, or returns {@code null} for
	 * anything except for a place
	 */
	static SourceProperties read(String bean, RuleSource source) throws Exception {
		List<Property> properties = new ArrayList<>();
		SourceOverrides.copy("rule", source.read()).forEach((id, values) -> values.forEach((name, value) -> {
			String place = Objects.requireNonNullElse(source.placeOf(id, name), "bean '" + bean + "'");
			properties.add(new Property(id, name, value, place));
		}));
		return new SourceProperties(bean, List.copyOf(properties), SourceOverrides.read(bean, source));
	}

	/** The answer of a source without rules and overrides. */
	static SourceProperties none(String bean) {
		return new SourceProperties(bean, List.of(), SourceOverrides.none(bean));
	}

	/** Returns the properties of these rules with other overrides. */
	SourceProperties with(SourceOverrides others) {
		return new SourceProperties(this.bean, this.properties, others);
	}

	/**
	 * A property of a rule.
	 *
	 * @param rule the id of the rule
	 * @param name the name of the property
	 * @param value its value
	 * @param place the place where operators find the property
	 */
	record Property(String rule, String name, String value, String place) {

	}

}
