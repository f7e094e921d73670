package io.tierlimit.autoconfigure;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

import io.tierlimit.key.KeyResolver;
import io.tierlimit.method.RateLimitedClasses;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.RuleDefinition;
import io.tierlimit.rule.RuleSet;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.env.Environment;

/**
 * The rules that the configuration and annotations hold, read and checked together, even
 * where a bean of the application's replaces those of the configuration.
 *
 * @param rules the rules of the configuration
 * @param annotations those of annotations
 * @param origins where they were written
 */
record ConfiguredRules(RuleSet rules, AnnotationReader annotations, RuleOrigins origins) {

	/** The name of the bean that gives way to the application's own. */
	static final String RULES_BEAN = "rateLimitRules";

	static ConfiguredRules read(TierlimitProperties properties, ConfigurableListableBeanFactory beans,
			Environment environment, ConversionFailures failures, RateLimitedClasses classes) {
		PropertyPlaces places = new PropertyPlaces(environment);
		Problems problems = new Problems();
		failures.report(places, problems);
		UnknownProperties.check(places, problems);
		new SettingsCheck(places, problems).check(properties);
		new StoreCheck(beans, places, problems).check(properties);
		if (beans.containsBean(FilterOrders.SECURITY_BEAN)) {
			FilterOrders.of(environment, properties.web()).check(places, problems);
		}
		List<String> keyResolvers = List.of(beans.getBeanNamesForType(KeyResolver.class));
		Set<String> configured = RuleSetReader.spelledOnce(properties.rules()).keySet();
		DefinedRules defined = new DefinedRules(keyResolvers, problems);
		List<Rule> all = new ArrayList<>(
				new RuleSetReader(keyResolvers, places, problems).read(properties.rules()).rules());
		Map<String, RuleDefinition> definitions = beans.getBeansOfType(RuleDefinition.class);
		all.addAll(defined.read(definitions, configured));
		RuleSet rules = new RuleSet(all);
		Optional<RuleSet> own = Arrays.stream(beans.getBeanNamesForType(RuleSet.class, false, false))
			.filter((name) -> !name.equals(RULES_BEAN))
			.findFirst()
			.map((name) -> beans.getBean(name, RuleSet.class));
		Set<String> ids = ids(own.orElse(rules));
		if (own.isEmpty()) {
			// What is wrong or not enabled has an id, too.
			ids.addAll(configured);
			definitions.values().forEach((definition) -> ids.add(definition.id()));
		}
		else if (!definitions.isEmpty()) {
			problems.add("The RuleDefinition beans " + definitions.keySet()
					+ " are not in force: a RuleSet bean replaces all rules. Remove the one or the others.");
		}
		classes.scan(beans);
		AnnotationReader annotations = new AnnotationReader(own.orElse(rules), ids, keyResolvers, environment);
		ConfiguredRules read = new ConfiguredRules(rules, annotations,
				new RuleOrigins(places, annotations, defined, own.isEmpty()));
		read.check(classes, problems);
		return read;
	}

	private static Set<String> ids(RuleSet rules) {
		return rules.rules().stream().map(Rule::id).collect(Collectors.toCollection(LinkedHashSet::new));
	}

	/**
	 * Stops the start if anything is wrong with annotations that weren't checked before.
	 */
	void check(RateLimitedClasses classes) {
		check(classes, new Problems());
	}

	private void check(RateLimitedClasses classes, Problems problems) {
		classes.obstacles().forEach(problems::add);
		classes.uses().forEach((use) -> this.annotations.read(use, problems));
		problems.report();
	}

}
