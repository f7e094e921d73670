package io.tierlimit.autoconfigure.rules;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import io.tierlimit.RuleMode;
import io.tierlimit.autoconfigure.environment.PropertyOrigins;
import io.tierlimit.autoconfigure.environment.PropertyPlaces;
import io.tierlimit.evaluation.CurrentMode;
import io.tierlimit.rule.reader.Problems;
import io.tierlimit.rule.reader.PropertyReader;
import io.tierlimit.rule.reader.PropertyText;
import io.tierlimit.rule.reader.PropertyTexts;
import io.tierlimit.rule.reader.TextSource;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.util.ObjectUtils;

/**
 * The rules and overrides of the configuration, as strings.
 *
 * @param mode the mode of all rules, and the place that sets it
 * @param rules the rules by their ids
 * @param overrides the overrides by their ids
 * @param variables the environment variables of rules and overrides that were read
 * @param places the places of all properties
 */
record ConfiguredTexts(CurrentMode mode, Map<String, PropertyTexts> rules, Map<String, PropertyTexts> overrides,
		Set<String> variables, PropertyOrigins places) {

	private static final ConfigurationPropertyName MODE = ConfigurationPropertyName.of("tierlimit.mode");

	/**
	 * Reads the configuration.
	 * @param places has all properties
	 * @param ofRule the properties of a rule
	 * @param problems collects a mode that is not valid, and missing properties
	 */
	static ConfiguredTexts read(PropertyOrigins places, Collection<String> ofRule, Problems problems) {
		Section rules = new Section(PropertyPlaces.RULES, ofRule, places);
		Section overrides = new Section(PropertyPlaces.OVERRIDES, OverrideProperties.NAMES, places);
		Map<String, PropertyTexts> ofRules = rules.read(LoginProtection.read(places, problems));
		Map<String, PropertyTexts> ofOverrides = overrides.read(Map.of());
		rules.variables.addAll(overrides.variables);
		return new ConfiguredTexts(mode(places, problems), ofRules, ofOverrides, rules.variables, places);
	}

	/**
	 * The place of the rate of a rule, or of its first property. For a rule of a preset,
	 * this is the preset, and the place of properties that change the rule. {@code null}
	 * if the configuration does not define the rule.
	 */
	@Nullable String origin(String rule) {
		String place = new PropertyPlaces(PropertyPlaces.RULES, rule, this.places).first();
		String preset = LoginProtection.IDS.contains(rule) ? LoginProtection.origin(this.places) : null;
		return (preset == null) ? place : (place == null) ? preset : preset + ", changed by " + place;
	}

	/** The mode of all rules, which is enforce if the value is blank or not valid. */
	private static CurrentMode mode(PropertyOrigins places, Problems problems) {
		String text = Objects.requireNonNullElse(places.text(MODE), "");
		return mode(text, places.find(MODE), Objects.requireNonNullElse(places.origin(MODE), "default"), problems);
	}

	static CurrentMode mode(String text, String location, String place, Problems problems) {
		try {
			RuleMode mode = PropertyReader.convert(text, RuleMode.class);
			return new CurrentMode(Objects.requireNonNullElse(mode, RuleMode.ENFORCE), place);
		}
		catch (IllegalArgumentException ex) {
			problems.add("tierlimit.mode " + ex.getMessage(), "Correct", location);
			return new CurrentMode(RuleMode.ENFORCE, place);
		}
	}

	/**
	 * All rules, or all overrides. Each property is read from the first source that has
	 * it; a source replaces a list as a whole.
	 */
	private static final class Section {

		private final ConfigurationPropertyName parent;

		private final PropertyOrigins places;

		/** The properties by their canonical names, in which {@code *} is a key. */
		private final Map<String, String> properties = new LinkedHashMap<>();

		/** The entries by their plain ids. */
		private final Map<String, Entry> entries = new LinkedHashMap<>();

		/** The environment variables that were read. */
		private final Set<String> variables = new HashSet<>();

		Section(String parent, Collection<String> properties, PropertyOrigins places) {
			this.parent = ConfigurationPropertyName.of(parent);
			this.places = places;
			properties.forEach(
					(property) -> this.properties.put(PropertyText.canonical(property.replace("[]", "")), property));
		}

		/**
		 * Reads all entries.
		 * @param presets entries with a lower precedence, by their ids
		 */
		Map<String, PropertyTexts> read(Map<String, List<PropertyText>> presets) {
			for (ConfigurationPropertySource source : this.places.sources()) {
				this.places.below(source, this.parent).forEach(this::addSpellings);
			}
			presets.keySet().forEach(this::entry);
			for (ConfigurationPropertySource source : this.places.sources()) {
				this.places.below(source, this.parent).forEach((name) -> add(name, source));
				this.entries.values()
					.stream()
					.filter((entry) -> !this.places.listsAll(source))
					.forEach((entry) -> lookUp(entry, source));
				this.entries.values().forEach((entry) -> entry.endSource(source(entry)));
			}
			presets.forEach((id, texts) -> entry(id).add(texts));
			Map<String, PropertyTexts> all = new LinkedHashMap<>();
			this.entries.values()
				.forEach((entry) -> all.put(entry.id, new PropertyTexts(source(entry), entry.texts.values())));
			return all;
		}

		private TextSource source(Entry entry) {
			return new PropertyPlaces(this.parent.toString(), entry.id, this.places);
		}

		private void addSpellings(ConfigurationPropertyName name) {
			String id = name.getElement(2, Form.ORIGINAL);
			Entry known = this.entries.getOrDefault(PropertyText.plain(id), new Entry(id));
			if (property(name, known) != null || isEmptyEntry(name)) {
				entry(id).keys.putAll(known.keys);
			}
		}

		private Entry entry(String id) {
			Entry entry = this.entries.computeIfAbsent(PropertyText.plain(id), (plain) -> new Entry(id));
			entry.id = preferred(entry.id, id);
			return entry;
		}

		/** Whether an id is written without properties. */
		private boolean isEmptyEntry(ConfigurationPropertyName name) {
			String text = this.places.text(name);
			return name.getNumberOfElements() == 3 && !name.isNumericIndex(2) && (text == null || text.isBlank());
		}

		/**
		 * Prefers the spelling that has dashes or capital letters, because the name of an
		 * environment variable shows neither of them.
		 */
		private static String preferred(String first, String second) {
			return first.equals(PropertyText.plain(first)) ? second : first;
		}

		private void add(ConfigurationPropertyName name, ConfigurationPropertySource source) {
			Entry entry = this.entries.get(PropertyText.plain(name.getElement(2, Form.ORIGINAL)));
			String property = (entry != null) ? property(name, entry) : null;
			ConfigurationProperty value = source.getConfigurationProperty(name);
			if (entry != null && property != null && value != null) {
				add(entry, property, value);
			}
		}

		/**
		 * Adds a property, which may be a collection or an array in a property source of
		 * the application.
		 */
		private void add(Entry entry, String property, ConfigurationProperty value) {
			Object raw = value.getValue();
			boolean list = raw instanceof Collection || raw.getClass().isArray();
			Object[] elements = (raw instanceof Collection<?> collection) ? collection.toArray()
					: list ? ObjectUtils.toObjectArray(raw) : new Object[] { raw };
			entry.add(property, list, Arrays.stream(elements).map(this.places::text).toList());
			String variable = PropertyOrigins.variable(value);
			if (variable != null) {
				this.variables.add(variable);
			}
		}

		/** Looks up properties that a source does not list. */
		private void lookUp(Entry entry, ConfigurationPropertySource source) {
			for (String declared : this.properties.values()) {
				for (String key : declared.contains("*") ? entry.keys.values() : List.of("")) {
					lookUp(named(declared, key, ""), entry, source);
					for (int i = 0; declared.endsWith("[]"); i++) {
						if (!lookUp(named(declared, key, "[" + i + "]"), entry, source)) {
							break;
						}
					}
				}
			}
		}

		private boolean lookUp(String property, Entry entry, ConfigurationPropertySource source) {
			ConfigurationProperty value = source
				.getConfigurationProperty(PropertyPlaces.name(this.parent.toString(), entry.id, property));
			if (value != null) {
				add(entry, property, value);
			}
			return value != null;
		}

		/**
		 * The known property that a name sets, with the spelling of the key that the
		 * entry has; {@code null} for another name.
		 */
		private @Nullable String property(ConfigurationPropertyName name, Entry entry) {
			int last = name.getNumberOfElements() - 1;
			boolean element = last > 3 && name.isNumericIndex(last);
			List<String> elements = new ArrayList<>();
			for (int i = 3; i <= (element ? last - 1 : last); i++) {
				elements.add(name.getElement(i, Form.ORIGINAL));
			}
			String declared = this.properties.get(PropertyText.plain(String.join(".", elements)));
			String key = "";
			if (declared == null && elements.size() > 2) {
				key = elements.set(elements.size() - 2, "*");
				declared = this.properties.get(PropertyText.plain(String.join(".", elements)));
			}
			if (declared == null || name.isNumericIndex(2) || (element && !declared.endsWith("[]"))) {
				return null;
			}
			String spelled = key.isEmpty() ? key : entry.keys.merge(PropertyText.plain(key), key, Section::preferred);
			return named(declared, spelled,
					element ? "[" + Integer.parseInt(name.getElement(last, Form.ORIGINAL)) + "]" : "");
		}

		private static String named(String declared, String key, String index) {
			return declared.replace(".*.", "[" + key + "].").replace("[]", index);
		}

	}

	/**
	 * A rule or an override.
	 */
	private static final class Entry {

		private String id;

		/** The spellings of keys by their plain forms. */
		private final Map<String, String> keys = new HashMap<>();

		/**
		 * The properties by their canonical names, each from the first source that has
		 * it.
		 */
		private final Map<String, PropertyText> texts = new LinkedHashMap<>();

		/** The strings and list elements of the current source. */
		private final Map<String, String> added = new LinkedHashMap<>();

		Entry(String id) {
			this.id = id;
		}

		void add(String name, boolean list, List<String> texts) {
			if (!list || texts.isEmpty() || name.endsWith("]")) {
				this.added.put(name, String.join(",", texts));
				return;
			}
			for (int i = 0; i < texts.size(); i++) {
				this.added.put(name + "[" + i + "]", texts.get(i));
			}
		}

		/**
		 * Ends a source. If it has a list both as a single string and as elements, the
		 * string is used.
		 */
		void endSource(TextSource source) {
			add(PropertyText.of(this.added, source, true));
			this.added.clear();
		}

		/** Adds properties that no earlier source sets. */
		void add(List<PropertyText> texts) {
			texts.forEach((text) -> this.texts.putIfAbsent(PropertyText.canonical(text.name()), text));
		}

	}

}
