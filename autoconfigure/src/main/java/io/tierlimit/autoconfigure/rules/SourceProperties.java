package io.tierlimit.autoconfigure.rules;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;

import io.tierlimit.spi.RuleSource;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.env.OriginTrackedMapPropertySource;
import org.springframework.boot.origin.Origin;
import org.springframework.boot.origin.OriginTrackedValue;

/**
 * The properties that a source has returned.
 *
 * @param bean the name of the source's bean
 * @param source the source
 * @param rules the properties of each rule by its id
 */
record SourceProperties(String bean, RuleSource source, Map<String, Map<String, String>> rules) {

	/**
	 * Creates a property source with the names of the configuration.
	 * @param spelling returns the id as it is written elsewhere, where only dashes,
	 * underscores and case may differ
	 * @param problems collects names and values that are not valid
	 */
	@Nullable ConfigurationPropertySource propertySource(UnaryOperator<String> spelling, Problems problems) {
		Map<String, Object> properties = new LinkedHashMap<>();
		this.rules.forEach((id, rule) -> rule.forEach((property, value) -> {
			String place = Objects.requireNonNullElse(this.source.placeOf(id, property), this.bean);
			String subject = "Rule '" + id + "': " + property;
			if (id.isBlank() || property.isBlank()) {
				problems.add("A rule of " + place + " has no id, or a property without a name", "Correct", place);
			}
			else if (value.contains("${")) {
				problems.add(subject + " must not have a placeholder (was '" + value + "')", "Write the value in",
						place);
			}
			else {
				ConfigurationPropertyName name = RuleSetReader.name(spelling.apply(id), property);
				properties.put(name.toString(), OriginTrackedValue.of(value, new Place(place)));
			}
		}));
		return ConfigurationPropertySource.from(new OriginTrackedMapPropertySource("rule source", properties, true));
	}

	private record Place(String text) implements Origin {

		@Override
		public String toString() {
			return this.text;
		}

	}

}
