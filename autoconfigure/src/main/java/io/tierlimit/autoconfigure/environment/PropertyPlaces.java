package io.tierlimit.autoconfigure.environment;

import io.tierlimit.rule.reader.TextSource;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.source.ConfigurationPropertyName;

/**
 * The places of the properties of a rule or an override in the configuration.
 *
 * @param parent the property with all rules, or all overrides
 * @param id the id of the rule or of the override
 * @param places the places of all properties
 */
public record PropertyPlaces(String parent, String id, PropertyOrigins places) implements TextSource {

	public static final String RULES = "tierlimit.rules";

	public static final String OVERRIDES = "tierlimit.overrides";

	/**
	 * The place of the rate, or of the first property if the rate is not set here.
	 * @return the place, such as {@code application.yml, line 3}, or {@code null}
	 */
	public @Nullable String first() {
		String place = origin("rate");
		return (place != null) ? place : origin("");
	}

	ConfigurationPropertyName name(String property) {
		return name(this.parent, this.id, property);
	}

	@Override
	public String location(String property) {
		return this.places.find(name(property));
	}

	@Override
	public @Nullable String origin(String property) {
		return this.places.origin(name(property));
	}

	/**
	 * The property of a rule or of an override.
	 * @param parent the property with all rules, or all overrides
	 * @param id the id
	 * @param property the name of the property; empty for the whole rule
	 * @return the full name
	 */
	public static ConfigurationPropertyName name(String parent, String id, String property) {
		ConfigurationPropertyName rule = ConfigurationPropertyName.adapt(parent + element(id), '.');
		return property.isEmpty() ? rule : rule.append(ConfigurationPropertyName.adapt(property, '.'));
	}

	/** The part of a property's name that is the id of a rule. */
	private static String element(String id) {
		return id.matches("[A-Za-z0-9-]+") ? "." + id : "[" + id + "]";
	}

}
