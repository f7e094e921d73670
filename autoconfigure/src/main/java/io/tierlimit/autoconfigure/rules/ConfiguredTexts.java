package io.tierlimit.autoconfigure.rules;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import io.tierlimit.RuleMode;
import io.tierlimit.autoconfigure.environment.PropertyOrigins;
import io.tierlimit.autoconfigure.environment.PropertyPlaces;
import io.tierlimit.evaluation.ModeInForce;
import io.tierlimit.rule.reader.Problems;
import io.tierlimit.rule.reader.PropertyReader;
import io.tierlimit.rule.reader.PropertyText;
import io.tierlimit.rule.reader.PropertyText.Form;
import io.tierlimit.rule.reader.PropertyTexts;
import io.tierlimit.rule.reader.TextSource;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.source.ConfigurationPropertyName;

/**
 * The rules and overrides of the configuration as texts.
 *
 * @param mode the mode of all rules, and the place that sets it
 * @param rules the rules by their ids
 * @param overrides the overrides by their ids
 * @param places the places of all properties
 */
record ConfiguredTexts(ModeInForce mode, Map<String, PropertyTexts> rules, Map<String, PropertyTexts> overrides,
		PropertyOrigins places) {

	private static final ConfigurationPropertyName MODE = ConfigurationPropertyName.of("tierlimit.mode");

	/**
	 * Reads the configuration.
	 * @param places has all properties
	 * @param ofRule the properties of a rule
	 * @param problems collects a mode that is not valid
	 */
	static ConfiguredTexts read(PropertyOrigins places, Collection<String> ofRule, Problems problems) {
		return new ConfiguredTexts(mode(places, problems), new Section(PropertyPlaces.RULES, ofRule, places).read(),
				new Section(PropertyPlaces.OVERRIDES, OverrideProperties.NAMES, places).read(), places);
	}

	/** The mode of all rules, which is enforce if the text is blank or not valid. */
	private static ModeInForce mode(PropertyOrigins places, Problems problems) {
		String text = Objects.requireNonNullElse(places.text(MODE), "");
		return mode(text, places.find(MODE), Objects.requireNonNullElse(places.origin(MODE), "default"), problems);
	}

	static ModeInForce mode(String text, String location, String place, Problems problems) {
		try {
			RuleMode mode = PropertyReader.convert(text, RuleMode.class);
			return new ModeInForce(Objects.requireNonNullElse(mode, RuleMode.ENFORCE), place);
		}
		catch (IllegalArgumentException ex) {
			problems.add("tierlimit.mode " + ex.getMessage(), "Correct", location);
			return new ModeInForce(RuleMode.ENFORCE, place);
		}
	}

	/**
	 * All rules, or all overrides. The properties are looked up by their names: a source
	 * may be unable to list them, and environment variables have other names.
	 */
	private static final class Section {

		private final String parent;

		private final Collection<String> properties;

		private final PropertyOrigins places;

		/** All spellings of the elements after the parent, by the plain id. */
		private final Map<String, Spellings> ids = new LinkedHashMap<>();

		private final List<ConfigurationPropertyName> elements = new ArrayList<>();

		Section(String parent, Collection<String> properties, PropertyOrigins places) {
			this.parent = parent;
			this.properties = properties;
			this.places = places;
			for (ConfigurationPropertyName name : places.below(ConfigurationPropertyName.of(parent))) {
				if (!name.isNumericIndex(2)) {
					Spellings.add(this.ids, name, 2);
				}
				if (name.isNumericIndex(name.getNumberOfElements() - 1)) {
					this.elements.add(name);
				}
			}
		}

		Map<String, PropertyTexts> read() {
			Map<String, PropertyTexts> all = new LinkedHashMap<>();
			this.ids.values().forEach((id) -> all.put(id.preferred(), read(id)));
			return all;
		}

		private PropertyTexts read(Spellings id) {
			PropertyPlaces source = new PropertyPlaces(this.parent, id.preferred(), this.places);
			List<PropertyText> texts = new ArrayList<>();
			for (String property : this.properties) {
				int map = property.indexOf(".*.");
				if (map < 0) {
					add(property, id.append(property), source, texts);
					continue;
				}
				for (Spellings key : keys(id.append(property.substring(0, map)))) {
					String last = property.substring(map + 3);
					add(property.substring(0, map) + "[" + key.preferred() + "]." + last, key.append(last), source,
							texts);
				}
			}
			return new PropertyTexts(source, texts);
		}

		/** The keys below any spelling of a map. */
		private Collection<Spellings> keys(List<ConfigurationPropertyName> maps) {
			Map<String, Spellings> keys = new LinkedHashMap<>();
			for (ConfigurationPropertyName map : maps) {
				int element = map.getNumberOfElements();
				for (ConfigurationPropertyName name : this.places.below(map)) {
					if (name.getNumberOfElements() > element + 1 && !name.isNumericIndex(element)) {
						Spellings.add(keys, name, element);
					}
				}
			}
			return keys.values();
		}

		private void add(String property, List<ConfigurationPropertyName> spellings, TextSource source,
				List<PropertyText> texts) {
			String name = property.replace("[]", "");
			for (ConfigurationPropertyName spelling : spellings) {
				String text = this.places.text(spelling);
				PropertyText read = (text != null) ? PropertyText.of(name, text, source)
						: property.endsWith("[]") ? list(name, spelling, source) : null;
				if (read != null) {
					texts.add(read);
					return;
				}
			}
		}

		private @Nullable PropertyText list(String name, ConfigurationPropertyName list, TextSource source) {
			List<String> values = new ArrayList<>();
			for (String text = element(list, 0); text != null; text = element(list, values.size())) {
				values.add(text);
			}
			long known = this.elements.stream()
				.filter((element) -> list.isParentOf(element) && this.places.text(element) != null)
				.count();
			return (known == 0 && values.isEmpty()) ? null : new PropertyText(name,
					(known > values.size()) ? Form.LIST_WITH_GAP : Form.LIST, values, source, true);
		}

		private @Nullable String element(ConfigurationPropertyName list, int index) {
			return this.places.text(list.append("[" + index + "]"));
		}

	}

	/**
	 * The spellings of an id or a key, which differ only in dashes, underscores, case and
	 * brackets. The name of an environment variable has none of these, so another
	 * spelling is preferred.
	 */
	private record Spellings(Map<ConfigurationPropertyName, String> names) {

		static void add(Map<String, Spellings> all, ConfigurationPropertyName name, int element) {
			String written = name.getElement(element, ConfigurationPropertyName.Form.ORIGINAL);
			all.computeIfAbsent(PropertyText.plain(written), (plain) -> new Spellings(new LinkedHashMap<>()))
				.names()
				.putIfAbsent(name.chop(element + 1), written);
		}

		String preferred() {
			String first = this.names.values().iterator().next();
			return this.names.values()
				.stream()
				.filter((name) -> !name.equals(PropertyText.plain(name)))
				.findFirst()
				.orElse(first);
		}

		List<ConfigurationPropertyName> append(String property) {
			return this.names.keySet().stream().map((name) -> name.append(property.replace("[]", ""))).toList();
		}

	}

}
