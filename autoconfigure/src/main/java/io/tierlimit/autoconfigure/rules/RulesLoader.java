package io.tierlimit.autoconfigure.rules;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.tierlimit.AppliesTo;
import io.tierlimit.RuleDefinition;
import io.tierlimit.autoconfigure.properties.FilterOrders;
import io.tierlimit.autoconfigure.properties.TierlimitProperties;
import io.tierlimit.method.RateLimitedBeanScanner;
import io.tierlimit.method.RateLimitedOperation;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.RuleSet;
import io.tierlimit.rule.Scope;
import io.tierlimit.spi.KeyResolver;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/**
 * Reads and checks the rules of the configuration, of rule sources, of beans and of
 * annotations together.
 */
final class RulesLoader {

	private static final Pattern PLAN = Pattern.compile("\\bplan\\b");

	private final ConfigurableListableBeanFactory beans;

	private final Environment environment;

	private final RateLimitedBeanScanner scanner;

	/**
	 * Creates a loader.
	 * @param beans has rules, and the beans that rules name
	 * @param environment the configuration
	 * @param scanner finds annotations
	 */
	RulesLoader(ConfigurableListableBeanFactory beans, Environment environment, RateLimitedBeanScanner scanner) {
		this.beans = beans;
		this.environment = environment;
		this.scanner = scanner;
	}

	/** Checks the properties except for the rules. */
	void checkSettings(BoundSettings bound, Problems problems) {
		TierlimitProperties properties = bound.properties();
		PropertyOrigins places = new PropertyOrigins(this.environment);
		bound.failures().report(places, problems);
		SettingsCheck settings = new SettingsCheck(places, problems);
		settings.check(properties);
		if (this.beans.containsBean(FilterOrders.SECURITY_BEAN)) {
			settings.check(FilterOrders.of(this.environment, properties.web()));
		}
		new StoreCheck(this.beans, places, problems).check(properties);
	}

	/**
	 * Reads the rules.
	 * @param sources what the rule sources have returned, the first of which overrides
	 * all others
	 * @param defaultPlan the plan of callers without a plan, or {@code null}
	 * @param problems collects all problems; the result must not be used if there are any
	 * @return the rules that are valid
	 */
	LoadedRules load(List<SourceProperties> sources, @Nullable String defaultPlan, Problems problems) {
		Set<String> configured = BoundRules.bind(this.environment, List.of()).rules().keySet();
		Map<String, RuleDefinition> definitions = this.beans.getBeansOfType(RuleDefinition.class);
		this.scanner.scan(this.beans);
		Collection<RateLimitedOperation> uses = this.scanner.uses();
		Set<String> annotated = AnnotationReader.idsOf(uses, this.environment);
		List<ConfigurationPropertySource> overriding = propertySources(sources,
				spelling(configured, definitions.values(), annotated), problems);
		BoundRules bound = BoundRules.bind(this.environment, overriding);
		bound.failures().report(bound.places(), problems);
		UnknownProperties.check(bound.places(), problems);

		Set<String> defined = new LinkedHashSet<>(annotated);
		definitions.values().forEach((definition) -> defined.add(definition.id()));
		Map<String, RuleProperties> complete = new LinkedHashMap<>();
		for (String id : configured) {
			RuleProperties properties = bound.rules().get(id);
			if (properties != null) {
				complete.put(id, properties);
			}
		}
		bound.rules().forEach((id, properties) -> {
			if (!defined.contains(id)) {
				complete.putIfAbsent(id, properties);
			}
		});
		Amendments amendments = new Amendments(bound, configured);
		List<String> keyResolvers = keyResolvers(bound.rules().values());
		RuleDefinitionReader definitionReader = new RuleDefinitionReader(keyResolvers, amendments, problems);
		Map<String, Rule> rules = new LinkedHashMap<>();
		new RuleSetReader(keyResolvers, bound.places(), problems).read(complete, defined)
			.forEach((rule) -> rules.put(rule.id(), rule));
		definitionReader.read(definitions, complete.keySet()).forEach((rule) -> rules.put(rule.id(), rule));

		Set<String> ids = new LinkedHashSet<>(complete.keySet());
		definitions.values().forEach((definition) -> ids.add(definition.id()));
		AnnotationReader annotations = new AnnotationReader(ids, keyResolvers, amendments, this.environment);
		this.scanner.obstacles().forEach(problems::add);
		Map<String, Set<String>> arguments = new HashMap<>();
		for (RateLimitedOperation use : uses) {
			Rule rule = annotations.read(use, rules::get, problems);
			if (rule != null && rules.putIfAbsent(rule.id(), rule) == null) {
				arguments.put(rule.id(), use.arguments().keySet());
			}
		}
		RuleSet all = new RuleSet(List.copyOf(rules.values()), arguments);
		checkApplication(all, problems);
		warnIfDefaultPlanHasNoEffect(all, defaultPlan, bound.places(), problems);
		return new LoadedRules(all, annotations,
				new RuleOrigins(new PropertyOrigins(this.environment),
						new PropertyOrigins(this.environment, overriding), annotations, definitionReader),
				problems.warnings());
	}

	private static List<ConfigurationPropertySource> propertySources(List<SourceProperties> sources,
			UnaryOperator<String> spelling, Problems problems) {
		List<ConfigurationPropertySource> overriding = new ArrayList<>();
		sources.forEach((source) -> overriding.add(source.propertySource(spelling, problems)));
		return overriding;
	}

	/** Returns an id as it is written where the rule is defined. */
	private static UnaryOperator<String> spelling(Set<String> configured, Collection<RuleDefinition> definitions,
			Set<String> annotated) {
		Map<String, String> known = new HashMap<>();
		annotated.forEach((id) -> known.put(RuleSetReader.plain(id), id));
		definitions.forEach((definition) -> known.put(RuleSetReader.plain(definition.id()), definition.id()));
		configured.forEach((id) -> known.put(RuleSetReader.plain(id), id));
		return (id) -> known.getOrDefault(RuleSetReader.plain(id), id);
	}

	/** Reports rules for requests in a reactive application, which has no filter. */
	private void checkApplication(RuleSet rules, Problems problems) {
		List<String> forRequests = rules.rules()
			.stream()
			.filter((rule) -> rule.selection().appliesTo() == AppliesTo.REQUESTS)
			.map(Rule::id)
			.toList();
		if (isReactive(this.environment) && !forRequests.isEmpty()
				&& !this.beans.containsBean(FilterOrders.FILTER_BEAN)) {
			problems.add("The rules " + forRequests + " apply to requests, but no request would be limited: this is a "
					+ "reactive application (WebFlux), and Tierlimit limits requests of servlet applications only. If "
					+ "Spring MVC is on the class path, set spring.main.web-application-type to servlet. Otherwise set "
					+ "applies-to of these rules to methods and use them with @RateLimited or a RateLimiter, remove "
					+ "them, or set tierlimit.enabled to false.");
		}
	}

	/** By the name of the type, since its package differs by Spring Boot's version. */
	private static boolean isReactive(Environment environment) {
		return ClassUtils.getAllInterfacesAsSet(environment)
			.stream()
			.anyMatch((type) -> type.getSimpleName().equals("ConfigurableReactiveWebEnvironment"));
	}

	/**
	 * Warns of a default plan without effect. A plan that no rule lists has an effect
	 * with the application's own {@link PlanResolver} or {@link KeyResolver}, in
	 * expressions that read the plan (for example in annotations), and as the scope of
	 * rules that list no plans.
	 */
	private void warnIfDefaultPlanHasNoEffect(RuleSet rules, @Nullable String plan, PropertyOrigins places,
			Problems problems) {
		boolean hasOtherUse = !this.scanner.uses().isEmpty()
				|| rules.rules().stream().anyMatch(RulesLoader::usesEveryPlan)
				|| !this.beans.containsBean(ConfiguredRules.PLAN_RESOLVER_BEAN)
				|| this.beans.getBeanNamesForType(KeyResolver.class, true, false).length > 0;
		if (plan == null || rules.rules().isEmpty() || hasOtherUse) {
			return;
		}
		Set<String> listed = new TreeSet<>();
		rules.rules().forEach((rule) -> listed.addAll(rule.limits().plans().keySet()));
		if (!listed.contains(plan)) {
			problems.warn(
					"tierlimit.plan.default '" + plan + "' has no effect: no rule lists that plan. The plans are "
							+ listed,
					"Correct or remove", places.find(ConfigurationPropertyName.of("tierlimit.plan.default")));
		}
	}

	private static boolean usesEveryPlan(Rule rule) {
		boolean asScope = rule.scope().names().contains(Scope.PLAN) && rule.limits().plans().isEmpty();
		return asScope || Stream.of(rule.selection().condition(), rule.scope().key(), rule.cost())
			.anyMatch((expression) -> expression != null && PLAN.matcher(expression).find());
	}

	/**
	 * Finds the names of key resolvers. Factory beans are created for this search only if
	 * a rule names a scope that is not found otherwise.
	 */
	private List<String> keyResolvers(Collection<RuleProperties> rules) {
		List<String> names = List.of(this.beans.getBeanNamesForType(KeyResolver.class, true, false));
		boolean complete = rules.stream()
			.flatMap((rule) -> rule.scope().stream())
			.allMatch((scope) -> Scope.BUILT_IN.contains(scope) || names.contains(scope));
		return complete ? names : List.of(this.beans.getBeanNamesForType(KeyResolver.class));
	}

}
