package io.tierlimit.autoconfigure.rules;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

import io.tierlimit.spi.RuleSource;
import org.jspecify.annotations.Nullable;

/**
 * The overrides that a rule source has returned: a copy.
 *
 * @param bean the name of the source's bean
 * @param source finds the places of overrides
 * @param overrides the properties of each override by its id
 */
record SourceOverrides(String bean, RuleSource source, Map<String, Map<String, String>> overrides) {

	/**
	 * Reads a source.
	 * @throws Exception if the source cannot be read, or returns {@code null} for
	 * anything except for a place
	 */
	static SourceOverrides read(String bean, RuleSource source) throws Exception {
		Map<String, Map<String, String>> overrides = new LinkedHashMap<>();
		source.readOverrides().forEach((id, values) -> {
			Objects.requireNonNull(id, "the id of an override is null");
			Objects.requireNonNull(values, "override '" + id + "' is null");
			Map<String, String> copy = new LinkedHashMap<>();
			values.forEach((name, value) -> copy.put(
					Objects.requireNonNull(name, "override '" + id + "': the name of a property is null"),
					Objects.requireNonNull(value, "override '" + id + "': " + name + " is null")));
			overrides.put(id, copy);
		});
		return new SourceOverrides(bean, source, overrides);
	}

	/**
	 * Returns the overrides after an edit.
	 * @param id the id of an override
	 * @param properties its properties; {@code null} to remove it
	 */
	SourceOverrides with(String id, @Nullable Map<String, String> properties) {
		Map<String, Map<String, String>> edited = new LinkedHashMap<>(this.overrides);
		edited.remove(id);
		if (properties != null) {
			edited.put(id, Map.copyOf(properties));
		}
		return new SourceOverrides(this.bean, this.source, edited);
	}

	/** The place of an override. */
	String place(String id) {
		return Objects.requireNonNullElse(this.source.placeOfOverride(id), "bean '" + this.bean + "'");
	}

	/** The places of the properties of an override. */
	RuleProblems.Source places(String id) {
		return new RuleProblems.Source() {

			@Override
			public String location(String property) {
				return property.isEmpty() ? place(id) : property + " (" + place(id) + ")";
			}

			@Override
			public @Nullable String text(String property) {
				return SourceOverrides.this.overrides.getOrDefault(id, Map.of()).get(property);
			}

		};
	}

}
