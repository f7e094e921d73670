package io.tierlimit.autoconfigure.rules;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.tierlimit.RuleDefinition;
import io.tierlimit.autoconfigure.environment.PropertyNames;
import io.tierlimit.autoconfigure.environment.PropertyPlaces;
import io.tierlimit.autoconfigure.environment.Spelling;
import io.tierlimit.autoconfigure.environment.UnknownProperties;
import io.tierlimit.autoconfigure.rules.SourceTexts.OfRule;
import io.tierlimit.option.BeanNames;
import io.tierlimit.option.OptionReader;
import io.tierlimit.option.RuleReader;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.RuleOptions;
import io.tierlimit.rule.Scope;
import io.tierlimit.rule.reader.Problems;
import io.tierlimit.rule.reader.PropertyReader;
import io.tierlimit.rule.reader.PropertyText;
import io.tierlimit.rule.reader.PropertyTexts;
import io.tierlimit.rule.reader.RuleProblems;
import io.tierlimit.rule.reader.TextSource;
import org.jspecify.annotations.Nullable;

/**
 * Reads the rules of all sources. The configuration, a bean or an annotation defines a
 * rule. Rule sources replace properties of it, or define further rules.
 *
 * @param beans the beans that rules can refer to
 * @param options reads the options of rules
 * @param names the names of all properties
 * @param configured the rules of the configuration
 * @param sources the rules of rule sources
 * @param defaultPlan the plan of callers without another one; {@code null} for none
 * @param definers the bean of each rule that beans define, by the plain id
 */
record RuleSetReader(BeanNames beans, List<OptionReader> options, PropertyNames names, ConfiguredTexts configured,
		SourceTexts sources, @Nullable String defaultPlan, Map<String, String> definers) {

	/**
	 * Properties that select requests or callers. If one of them is missing, the rule
	 * applies to more requests.
	 */
	private static final List<String> SELECTING = List.of("scope", "key", "paths", "methods", "condition");

	/**
	 * Reads all rules that annotations do not define.
	 * @param added the properties of the rules that only sources define
	 * @param definitions the rules that beans define, by the names of their beans
	 * @return the rules that are enabled and valid, by their ids
	 */
	Map<String, Rule> read(List<OfRule> added, Map<String, RuleDefinition> definitions, Problems problems) {
		for (String name : this.beans.keyResolvers()) {
			if (Scope.BUILT_IN.contains(name)) {
				problems.add(
						"The KeyResolver bean '" + name
								+ "' has the name of a built-in scope, so it would never be called",
						"Rename the bean, and the scopes that name it, in", PropertyPlaces.RULES);
			}
		}
		Map<String, Rule> rules = new LinkedHashMap<>();
		this.configured.rules().forEach((id, texts) -> put(rules, read(id, texts, Map.of(), problems)));
		for (OfRule rule : added) {
			PropertyTexts none = new PropertyTexts(rule.texts().get(0).source(), List.of());
			put(rules, read(rule.id(), none, Map.of(), problems));
		}
		definitions.forEach((bean, definition) -> put(rules, readDefined(bean, definition, problems)));
		return rules;
	}

	private static void put(Map<String, Rule> rules, @Nullable Rule rule) {
		if (rule != null) {
			rules.put(rule.id(), rule);
		}
	}

	private @Nullable Rule readDefined(String bean, RuleDefinition definition, Problems problems) {
		String id = definition.id();
		TextSource source = (property) -> (property.isEmpty() ? "" : property + " in ") + "the RuleDefinition bean '"
				+ bean + "'";
		PropertyTexts texts = new PropertyTexts(source, PropertyText.of(definition.properties(), source, false));
		String other = this.definers.putIfAbsent(PropertyText.plain(id), bean);
		if (other != null || Spelling.known(id, this.configured.rules().keySet()) != null) {
			new RuleProblems("Rule '" + id + "'", texts, problems).add(
					"the rule is also defined by " + ((other != null) ? "bean '" + other + "'" : "the configuration"),
					"Set another id in", "");
			return null;
		}
		checkNames(id, texts, problems);
		return read(id, texts, Map.of(), problems);
	}

	/** Reports unknown properties of a rule that code defines. */
	void checkNames(String id, PropertyTexts texts, Problems problems) {
		new UnknownProperties(this.names, this.configured.places(), problems).check(PropertyPlaces.RULES, id,
				texts.written());
	}

	/** The name of the bean that defines a rule; {@code null} if there is none. */
	@Nullable String beanOf(String id) {
		return this.definers.get(PropertyText.plain(id));
	}

	/**
	 * Reads a rule.
	 * @param defined the properties from the place that defines the rule
	 * @param arguments the types of a method's arguments by their names
	 * @return the rule, or {@code null} if it is disabled or not valid
	 */
	@Nullable Rule read(String id, PropertyTexts defined, Map<String, Class<?>> arguments, Problems problems) {
		OfRule changes = this.sources.of(id);
		PropertyTexts texts = (changes != null) ? defined.with(changes.texts()) : defined;
		PropertyReader reader = new PropertyReader(texts, new RuleProblems("Rule '" + id + "'", texts, problems));
		if (!reader.valueOr("enabled", true)) {
			return null;
		}
		SELECTING.forEach(reader.problems()::addEmpty);
		return new RuleReader(id, reader, arguments, this.beans, InvalidPaths::find).read(this.options,
				this.defaultPlan);
	}

	/** Reads the options of a rule that an annotation sets for its own calls. */
	RuleOptions readOptions(Rule rule, PropertyReader own) {
		return new RuleReader(rule.id(), own, Map.of(), this.beans, InvalidPaths::find).readSet(this.options, rule);
	}

}
