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
 * @param overrides the properties of each override by its id
 * @param placeOf the place of each override by its id
 */
record SourceOverrides(String bean, Map<String, Map<String, String>> overrides, Map<String, String> placeOf) {

	/** The answer of a source without overrides. */
	static SourceOverrides none(String bean) {
		return new SourceOverrides(bean, Map.of(), Map.of());
	}

	/**
	 * Reads a source.
	 * @throws Exception if the source cannot be read, or returns {@code null} for
	 * anything except for a place
	 */
	static SourceOverrides read(String bean, RuleSource source) throws Exception {
		Map<String, Map<String, String>> overrides = copy("override", source.readOverrides());
		Map<String, String> places = new LinkedHashMap<>();
		overrides.keySet()
			.forEach((id) -> places.put(id,
					Objects.requireNonNullElse(source.placeOfOverride(id), "bean '" + bean + "'")));
		return new SourceOverrides(bean, overrides, places);
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
		Map<String, Map<String, String>> edited = new LinkedHashMap<>(this.overrides);
		Map<String, String> places = new LinkedHashMap<>(this.placeOf);
		edited.remove(id);
		if (properties != null) {
			edited.put(id, new LinkedHashMap<>(properties));
			places.put(id, Objects.requireNonNullElse(store.placeOfOverride(id), "bean '" + this.bean + "'"));
		}
		return new SourceOverrides(this.bean, edited, places);
	}

	/** The place of an override. */
	String place(String id) {
		return this.placeOf.getOrDefault(id, "");
	}

	/** The properties of an override. */
	PropertyTexts texts(String id) {
		TextSource source = (property) -> (property.isEmpty() ? "override '" + id + "'" : property) + " (" + place(id)
				+ ")";
		return new PropertyTexts(source, PropertyText.of(this.overrides.getOrDefault(id, Map.of()), source, true));
	}

}
