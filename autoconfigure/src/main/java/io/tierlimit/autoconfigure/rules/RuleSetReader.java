package io.tierlimit.autoconfigure.rules;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import io.tierlimit.RuleDefinition;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.Scope;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;

/**
 * Reads the rules of the configuration.
 */
final class RuleSetReader {

	private static final ConfigurationPropertyName RULES = ConfigurationPropertyName.of("tierlimit.rules");

	private final BeanNames beans;

	private final PropertyOrigins places;

	private final Amendments amendments;

	private final Problems problems;

	RuleSetReader(BeanNames beans, PropertyOrigins places, Amendments amendments, Problems problems) {
		this.beans = beans;
		this.places = places;
		this.amendments = amendments;
		this.problems = problems;
	}

	/**
	 * Reads the rules.
	 * @param properties the properties of each rule by its id
	 * @return the rules that are enabled and valid
	 */
	List<Rule> read(Map<String, RuleProperties> properties) {
		for (String name : this.beans.keyResolvers()) {
			if (Scope.BUILT_IN.contains(name)) {
				this.problems.add(
						"The KeyResolver bean '" + name
								+ "' has the name of a built-in scope, so it would never be called",
						"Rename the bean, and the scopes that name it, in", RULES.toString());
			}
		}
		new DuplicateSpellings(this.places, this.problems).check();
		EnvironmentVariableRules variables = new EnvironmentVariableRules(this.places, this.problems);
		findEmptyRules(properties.keySet(), variables);
		List<Rule> rules = new ArrayList<>();
		properties.forEach((id, rule) -> {
			boolean complete = this.amendments.of(id) != null || variables.check(id, rule);
			Rule read = (complete && this.amendments.enable(id, rule.enabled())) ? read(id, rule) : null;
			if (read != null) {
				rules.add(read);
			}
		});
		return rules;
	}

	private @Nullable Rule read(String id, RuleProperties rule) {
		RuleProblems own = problems(id);
		RuleTexts texts = new RuleTexts(own);
		Predicate<String> isSet = (property) -> !this.amendments.set(id, property);
		RuleProperties.checkNotEmpty(texts, isSet);
		RuleDefinition written = rule.define(RuleDefinition.of(id), texts, isSet);
		return read(this.amendments.amend(written, own), own);
	}

	/**
	 * Reads the rules that only sources define.
	 * @param added their properties
	 * @return the rules that are enabled and valid
	 */
	List<Rule> readAdded(List<Amendment> added) {
		return added.stream()
			.filter((rule) -> rule.enable(true))
			.map(this::readAdded)
			.filter(Objects::nonNull)
			.toList();
	}

	private @Nullable Rule readAdded(Amendment added) {
		RuleProblems own = new RuleProblems("Rule '" + added.id() + "'", added.places(), this.problems);
		return read(added.amend(RuleDefinition.of(added.id()), new RuleTexts(own)), own);
	}

	private @Nullable Rule read(RuleDefinition definition, RuleProblems own) {
		PerCallerIds.check(definition, own);
		return new RuleReader(this.beans, Map.of(), own).read(definition);
	}

	private RuleProblems problems(String id) {
		return new RuleProblems("Rule '" + id + "'",
				this.amendments.places(id, new PropertyPlaces(PropertyPlaces.RULES, id, this.places)), this.problems);
	}

	/**
	 * Finds rules that the binder drops because each of their values is empty or not
	 * valid. A single value in place of a rule is reported by {@link Shorthand}.
	 */
	private void findEmptyRules(Set<String> bound, EnvironmentVariableRules variables) {
		Set<String> known = bound.stream().map(RuleSetReader::plain).collect(Collectors.toCollection(HashSet::new));
		for (ConfigurationPropertyName name : this.places.below(RULES)) {
			String id = name.getElement(RULES.getNumberOfElements(), Form.ORIGINAL);
			String text = UnknownProperties.isParent(name) ? this.places.text(name) : null;
			boolean shorthand = text != null && !text.isBlank();
			if (!shorthand && !name.isNumericIndex(RULES.getNumberOfElements()) && known.add(plain(id))
					&& !variables.definesEmptyRule(id)) {
				problems(id).addMissingRate("rate");
			}
		}
	}

	static String plain(String id) {
		return id.replace("-", "").replace("_", "").toLowerCase(Locale.ROOT);
	}

	static ConfigurationPropertyName name(String parent, String id, String property) {
		ConfigurationPropertyName rule = ConfigurationPropertyName.adapt(parent + element(id), '.');
		return property.isEmpty() ? rule : rule.append(ConfigurationPropertyName.adapt(property, '.'));
	}

	/** The part of a property's name that is the id of a rule. */
	static String element(String id) {
		return id.matches("[A-Za-z0-9-]+") ? "." + id : "[" + id + "]";
	}

	/** Returns the spelling of a name that is known; otherwise the name itself. */
	static String spelled(String name, Collection<String> known) {
		String plain = plain(name);
		return known.stream().filter((other) -> plain(other).equals(plain)).findFirst().orElse(name);
	}

	/**
	 * Merges names that differ only in dashes, underscores and case. The name of an
	 * environment variable has neither dashes nor case, so another spelling is preferred.
	 * The values under each spelling are the same, because the binder reads every
	 * spelling.
	 */
	static <T> Map<String, T> spelledOnce(Map<String, T> properties) {
		Map<String, String> spellings = new LinkedHashMap<>();
		for (String name : properties.keySet()) {
			String plain = plain(name);
			spellings.merge(plain, name, (first, second) -> first.equals(plain) ? second : first);
		}
		Map<String, T> once = new LinkedHashMap<>();
		properties.forEach((name, value) -> {
			if (spellings.containsValue(name)) {
				once.put(name, value);
			}
		});
		return once;
	}

}
