package io.tierlimit.autoconfigure.rules;

import io.tierlimit.rule.reader.TextSource;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.source.ConfigurationPropertyName;

/**
 * The places of a rule or of an override of the configuration.
 *
 * @param parent the property with all rules, or all overrides
 * @param id the id of the rule or of the override
 * @param places the places of all properties
 */
record PropertyPlaces(String parent, String id, PropertyOrigins places) implements TextSource {

	static final String RULES = "tierlimit.rules";

	static final String OVERRIDES = "tierlimit.overrides";

	/** The place of the rate; of the first property if the rate is set elsewhere. */
	@Nullable String first() {
		String place = origin("rate");
		return (place != null) ? place : origin("");
	}

	ConfigurationPropertyName name(String property) {
		return RuleSetReader.name(this.parent, this.id, property);
	}

	@Override
	public String location(String property) {
		return this.places.find(name(property));
	}

	@Override
	public @Nullable String origin(String property) {
		return this.places.origin(name(property));
	}

}
