package io.tierlimit.autoconfigure.rules;

import org.jspecify.annotations.Nullable;

/**
 * The places of a rule that properties define.
 *
 * @param id the id of the rule
 * @param places the places of all properties
 */
record PropertyPlaces(String id, PropertyOrigins places) implements RuleProblems.Source {

	/** The place of the rate; of the first property if the rate is set elsewhere. */
	@Nullable String first() {
		String place = origin("rate");
		return (place != null) ? place : origin("");
	}

	@Override
	public String location(String property) {
		return this.places.find(RuleSetReader.name(this.id, property));
	}

	@Override
	public @Nullable String origin(String property) {
		return this.places.origin(RuleSetReader.name(this.id, property));
	}

	@Override
	public @Nullable String text(String property) {
		return property.isEmpty() ? null : this.places.text(RuleSetReader.name(this.id, property));
	}

}
