package io.tierlimit.autoconfigure.rules;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.tierlimit.autoconfigure.environment.PropertyPlaces;
import io.tierlimit.autoconfigure.environment.Spelling;
import io.tierlimit.evaluation.CurrentMode;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.reader.Problems;
import io.tierlimit.rule.reader.PropertyText;
import io.tierlimit.rule.reader.PropertyTexts;
import io.tierlimit.rule.reader.TextSource;
import io.tierlimit.spi.RuleSource;
import org.jspecify.annotations.Nullable;

/**
 * The properties of rules that rule sources set. They add rules, and change rules that
 * the configuration, beans and annotations define. Ids, plans and properties are the same
 * if only dashes, underscores and case differ, as in the configuration.
 */
final class SourceTexts {

	private static final Pattern NAME = Pattern
		.compile("[\\w-]{1,100}+(\\.?\\[[^\\[\\]]{1,100}+\\]|\\.[\\w-]{1,100}+){0,5}+");

	/** The properties that the sources set for each rule, by its plain id. */
	private final Map<String, OfRule> rules = new LinkedHashMap<>();

	private @Nullable CurrentMode mode;

	/**
	 * Merges the properties of all sources.
	 * @param sources what the sources have returned, the first of which overrides all
	 * others
	 * @param problems collects names and values that are not valid
	 */
	SourceTexts(List<RuleSources.Answer> sources, Problems problems) {
		for (RuleSources.Answer source : sources) {
			Map<String, OfSource> own = new LinkedHashMap<>();
			for (RuleSources.Property property : source.properties()) {
				if (!isValid(property, problems)) {
					continue;
				}
				if (property.rule().equals(RuleSource.ALL)) {
					setMode(property, problems);
				}
				else {
					own.computeIfAbsent(PropertyText.plain(property.rule()),
							(plain) -> new OfSource(property.rule(), new LinkedHashMap<>()))
						.add(property, problems);
				}
			}
			own.forEach((plain, rule) -> this.rules.merge(plain, rule.texts(), OfRule::overriding));
		}
	}

	private static boolean isValid(RuleSources.Property property, Problems problems) {
		String rule = "Rule '" + property.rule() + "': ";
		boolean ofAll = property.rule().equals(RuleSource.ALL);
		if (ofAll && !property.name().equals("mode")) {
			problems.add(
					"'*' of " + property.place() + " sets " + property.name()
							+ ", but only mode can be set for all rules",
					"Set it for single rules, and remove it in", property.place());
			return false;
		}
		if (!ofAll && !Rule.isId(property.rule())) {
			problems.add(rule + Rule.ID_REQUIREMENT, "Correct", property.place());
			return false;
		}
		if (!NAME.matcher(property.name()).matches()) {
			problems.add(rule + "'" + property.name() + "' is not the name of a property", "Correct", property.place());
			return false;
		}
		if (property.value().contains("${")) {
			problems.add(rule + property.name() + " must not have a placeholder (was '" + property.value() + "')",
					"Write the value in", property.place());
			return false;
		}
		return true;
	}

	private void setMode(RuleSources.Property property, Problems problems) {
		if (this.mode == null) {
			this.mode = ConfiguredTexts.mode(property.value(), "tierlimit.mode (" + property.place() + ")",
					property.place(), problems);
		}
	}

	/** The mode of all rules; {@code null} if no source sets it. */
	@Nullable CurrentMode mode() {
		return this.mode;
	}

	/** The properties that the sources set for each rule, in one object per rule. */
	Collection<OfRule> all() {
		return this.rules.values();
	}

	/** The properties that the sources set for a rule; {@code null} if they set none. */
	@Nullable OfRule of(String id) {
		return this.rules.get(PropertyText.plain(id));
	}

	/** The properties of rules that are not defined elsewhere. */
	List<OfRule> except(Stream<String> defined) {
		Set<String> known = defined.map(PropertyText::plain).collect(Collectors.toSet());
		return this.rules.entrySet()
			.stream()
			.filter((rule) -> !known.contains(rule.getKey()))
			.map(Map.Entry::getValue)
			.toList();
	}

	/**
	 * The properties that the sources set for a rule.
	 *
	 * @param id the id, as the first source writes it
	 * @param place the place of the rate in the first source, or of its first property
	 * @param texts the properties, where later ones replace earlier ones
	 */
	record OfRule(String id, String place, List<PropertyText> texts) {

		/** Adds the properties of another source, which has a lower precedence. */
		OfRule overriding(OfRule other) {
			return new OfRule(this.id, this.place,
					new PropertyTexts((property) -> "", other.texts).with(this.texts).all());
		}

	}

	/**
	 * The properties that one source sets for a rule, and their places.
	 *
	 * @param id the id of the rule, as the source writes it first
	 * @param properties the properties by their plain names
	 */
	private record OfSource(String id, Map<String, RuleSources.Property> properties) implements TextSource {

		/** Adds another property of the same source. */
		void add(RuleSources.Property property, Problems problems) {
			RuleSources.Property other = this.properties.putIfAbsent(PropertyText.plain(property.name()), property);
			if (!property.rule().equals(this.id)) {
				problems.add("Rules '" + this.id + "' and '" + property.rule() + "' are the same rule: "
						+ Spelling.DIFFERENCE, "Merge them in", property.place());
			}
			else if (other != null) {
				problems.add(
						"Rule '" + this.id + "': " + other.name() + " and " + property.name()
								+ " are the same property: " + Spelling.DIFFERENCE,
						"Remove one of them from", property.place());
			}
		}

		OfRule texts() {
			Map<String, String> values = new LinkedHashMap<>();
			this.properties.values().forEach((property) -> values.put(property.name(), property.value()));
			String place = this.properties.getOrDefault("rate", this.properties.values().iterator().next()).place();
			return new OfRule(this.id, place, PropertyText.of(values, this, true));
		}

		@Override
		public String location(String property) {
			String list = property.replaceFirst("\\[[^\\[]*]$", "");
			boolean inText = !this.properties.containsKey(PropertyText.plain(property))
					&& this.properties.containsKey(PropertyText.plain(list));
			String name = inText ? list : property;
			RuleSources.Property written = this.properties.get(PropertyText.plain(name));
			String place = (written != null) ? written.place() : origin(property);
			return PropertyPlaces.name(PropertyPlaces.RULES, this.id, name)
					+ ((place != null) ? " (" + place + ")" : "");
		}

		@Override
		public @Nullable String origin(String property) {
			String prefix = property.isEmpty() ? "" : PropertyText.canonical(property) + ".";
			return this.properties.values()
				.stream()
				.filter((other) -> (PropertyText.canonical(other.name()) + ".").startsWith(prefix))
				.findFirst()
				.map(RuleSources.Property::place)
				.orElse(null);
		}

	}

}
