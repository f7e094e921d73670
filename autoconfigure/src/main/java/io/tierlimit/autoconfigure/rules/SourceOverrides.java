package io.tierlimit.autoconfigure.rules;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

import io.tierlimit.rule.reader.PropertyText;
import io.tierlimit.rule.reader.PropertyTexts;
import io.tierlimit.rule.reader.TextSource;
import io.tierlimit.spi.RuleSource;
import org.jspecify.annotations.Nullable;

/**
 * A copy of the overrides that a rule source has returned.
 *
 * @param bean the name of the source's bean
 * @param overrides the overrides by their ids
 */
record SourceOverrides(String bean, Map<String, Stored> overrides) {

	/** The answer of a source without overrides. */
	static SourceOverrides none(String bean) {
		return new SourceOverrides(bean, Map.of());
	}

	/**
	 * Reads a source.
	 * @throws Exception if the source cannot be read, or returns {@code null} for
	 * anything except for a place
	 */
	static SourceOverrides read(String bean, RuleSource source) throws Exception {
		Map<String, Stored> overrides = new LinkedHashMap<>();
		copy("override", source.readOverrides())
			.forEach((id, properties) -> overrides.put(id, Stored.of(bean, source, id, properties)));
		return new SourceOverrides(bean, overrides);
	}

	/**
	 * Copies properties, and checks that none is {@code null}.
	 * @param kind the owner of the properties: rule or override
	 * @param returned the properties by id, as a source returns them
	 */
	static Map<String, Map<String, String>> copy(String kind, Map<String, Map<String, String>> returned) {
		Map<String, Map<String, String>> copies = new LinkedHashMap<>();
		returned.forEach((id, values) -> {
			String owner = kind + " '" + Objects.requireNonNull(id, kind + ": the id is null") + "'";
			Map<String, String> copy = new LinkedHashMap<>();
			Objects.requireNonNull(values, owner + " is null")
				.forEach((name, value) -> copy.put(
						Objects.requireNonNull(name, owner + ": the name of a property is null"),
						Objects.requireNonNull(value, owner + ": " + name + " is null")));
			copies.put(id, copy);
		});
		return copies;
	}

	/**
	 * Returns the overrides after an edit.
	 * @param id the id of an override
	 * @param properties its properties; {@code null} to remove it
	 * @param store stores the override
	 */
	SourceOverrides with(String id, @Nullable Map<String, String> properties, RuleSource store) {
		Map<String, Stored> edited = new LinkedHashMap<>(this.overrides);
		edited.remove(id);
		if (properties != null) {
			edited.put(id, Stored.of(this.bean, store, id, new LinkedHashMap<>(properties)));
		}
		return new SourceOverrides(this.bean, edited);
	}

	/**
	 * An override.
	 *
	 * @param properties its properties
	 * @param place its place in the source
	 */
	record Stored(Map<String, String> properties, String place) {

		private static Stored of(String bean, RuleSource source, String id, Map<String, String> properties) {
			return new Stored(properties,
					Objects.requireNonNullElse(source.placeOfOverride(id), "bean '" + bean + "'"));
		}

		/** The properties with their places. */
		PropertyTexts texts(String id) {
			TextSource source = (property) -> (property.isEmpty() ? "override '" + id + "'" : property) + " ("
					+ this.place + ")";
			return new PropertyTexts(source, PropertyText.of(this.properties, source, true));
		}

	}

}
