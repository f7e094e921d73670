package io.tierlimit.autoconfigure.rules;

import org.jspecify.annotations.Nullable;

/**
 * The places of a rule or of an override that properties define.
 *
 * @param parent the property with all rules, or all overrides
 * @param id the id of the rule or of the override
 * @param places the places of all properties
 */
record PropertyPlaces(String parent, String id, PropertyOrigins places) implements RuleProblems.Source {

	static final String RULES = "tierlimit.rules";

	static final String OVERRIDES = "tierlimit.overrides";

	/** The place of the rate; of the first property if the rate is set elsewhere. */
	@Nullable String first() {
		String place = origin("rate");
		return (place != null) ? place : origin("");
	}

	@Override
	public String location(String property) {
		return this.places.find(RuleSetReader.name(this.parent, this.id, property));
	}

	@Override
	public @Nullable String origin(String property) {
		return this.places.origin(RuleSetReader.name(this.parent, this.id, property));
	}

	@Override
	public @Nullable String text(String property) {
		return property.isEmpty() ? null : this.places.text(RuleSetReader.name(this.parent, this.id, property));
	}

}
