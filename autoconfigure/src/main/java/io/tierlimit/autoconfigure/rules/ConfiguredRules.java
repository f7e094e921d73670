package io.tierlimit.autoconfigure.rules;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
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
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/**
 * Reads and checks the rules of the configuration, of beans and of annotations together.
 * The rules of the configuration are checked even if a RuleSet bean of the application
 * replaces them.
 */
public final class ConfiguredRules {

	/** The name of the RuleSet bean, which backs off if the application defines one. */
	public static final String RULES_BEAN = "rateLimitRules";

	/**
	 * The name of the BucketStore bean, which backs off if the application defines one.
	 */
	public static final String STORE_BEAN = "rateLimitBucketStore";

	/**
	 * The name of the PlanResolver bean, which backs off if the application defines one.
	 */
	public static final String PLAN_RESOLVER_BEAN = "rateLimitPlanResolver";

	private static final Log logger = LogFactory.getLog(ConfiguredRules.class);

	private static final Pattern PLAN = Pattern.compile("\\bplan\\b");

	private final RuleSet rules;

	private final AnnotationReader annotations;

	private final RuleOrigins origins;

	private final List<String> warnings;

	private ConfiguredRules(RuleSet rules, AnnotationReader annotations, RuleOrigins origins, List<String> warnings) {
		this.rules = rules;
		this.annotations = annotations;
		this.origins = origins;
		this.warnings = warnings;
	}

	static ConfiguredRules read(BoundProperties bound, ConfigurableListableBeanFactory beans, Environment environment,
			RateLimitedBeanScanner scanner) {
		TierlimitProperties properties = bound.settings();
		Map<String, RuleProperties> ruleProperties = bound.rules().rules();
		PropertyOrigins propertyOrigins = new PropertyOrigins(environment);
		Problems problems = new Problems();
		bound.failures().report(propertyOrigins, problems);
		UnknownProperties.check(propertyOrigins, problems);
		SettingsCheck settings = new SettingsCheck(propertyOrigins, problems);
		settings.check(properties);
		if (beans.containsBean(FilterOrders.SECURITY_BEAN)) {
			settings.check(FilterOrders.of(environment, properties.web()));
		}
		new StoreCheck(beans, propertyOrigins, problems).check(properties);
		List<String> keyResolvers = keyResolvers(beans, ruleProperties.values());
		Set<String> configuredIds = RuleSetReader.spelledOnce(ruleProperties).keySet();
		RuleDefinitionReader definitionReader = new RuleDefinitionReader(keyResolvers, problems);
		List<Rule> all = new ArrayList<>(
				new RuleSetReader(keyResolvers, propertyOrigins, problems).read(ruleProperties).rules());
		Map<String, RuleDefinition> definitions = beans.getBeansOfType(RuleDefinition.class);
		all.addAll(definitionReader.read(definitions, configuredIds));
		RuleSet rules = new RuleSet(all);
		Optional<RuleSet> applicationRules = Arrays.stream(beans.getBeanNamesForType(RuleSet.class, false, false))
			.filter((name) -> !name.equals(RULES_BEAN))
			.findFirst()
			.map((name) -> beans.getBean(name, RuleSet.class));
		Set<String> ids = ids(applicationRules.orElse(rules));
		if (applicationRules.isEmpty()) {
			// Rules that are disabled or not valid have an id, too.
			ids.addAll(configuredIds);
			definitions.values().forEach((definition) -> ids.add(definition.id()));
		}
		else if (!definitions.isEmpty()) {
			problems.add("The RuleDefinition beans " + definitions.keySet()
					+ " have no effect, because a RuleSet bean replaces all rules. Remove either the RuleSet bean or the "
					+ "RuleDefinition beans.");
		}
		scanner.scan(beans);
		AnnotationReader annotations = new AnnotationReader(applicationRules.orElse(rules), ids, keyResolvers,
				environment);
		checkApplication(applicationRules.orElse(rules), beans, environment, problems);
		warnIfDefaultPlanHasNoEffect(applicationRules.orElse(rules), scanner, beans, properties.plan().defaultPlan(),
				propertyOrigins, problems);
		check(scanner, annotations, problems);
		return new ConfiguredRules(rules, annotations,
				new RuleOrigins(propertyOrigins, annotations, definitionReader, applicationRules.isEmpty()),
				problems.warnings());
	}

	/** Reports rules for requests in a reactive application, which has no filter. */
	private static void checkApplication(RuleSet rules, ConfigurableListableBeanFactory beans, Environment environment,
			Problems problems) {
		List<String> forRequests = rules.rules()
			.stream()
			.filter((rule) -> rule.selection().appliesTo() == AppliesTo.REQUESTS)
			.map(Rule::id)
			.toList();
		if (isReactive(environment) && !forRequests.isEmpty() && !beans.containsBean(FilterOrders.FILTER_BEAN)) {
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
	private static void warnIfDefaultPlanHasNoEffect(RuleSet rules, RateLimitedBeanScanner scanner,
			ConfigurableListableBeanFactory beans, @Nullable String plan, PropertyOrigins propertyOrigins,
			Problems problems) {
		boolean hasOtherUse = !scanner.uses().isEmpty()
				|| rules.rules().stream().anyMatch(ConfiguredRules::usesEveryPlan)
				|| !beans.containsBean(PLAN_RESOLVER_BEAN)
				|| beans.getBeanNamesForType(KeyResolver.class, true, false).length > 0;
		if (plan == null || rules.rules().isEmpty() || hasOtherUse) {
			return;
		}
		Set<String> listed = new TreeSet<>();
		rules.rules().forEach((rule) -> listed.addAll(rule.limits().plans().keySet()));
		if (!listed.contains(plan)) {
			problems.warn(
					"tierlimit.plan.default '" + plan + "' has no effect: no rule lists that plan. The plans are "
							+ listed,
					"Correct or remove", propertyOrigins.find(ConfigurationPropertyName.of("tierlimit.plan.default")));
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
	private static List<String> keyResolvers(ConfigurableListableBeanFactory beans, Collection<RuleProperties> rules) {
		List<String> names = List.of(beans.getBeanNamesForType(KeyResolver.class, true, false));
		boolean complete = rules.stream()
			.flatMap((rule) -> rule.scope().stream())
			.allMatch((scope) -> Scope.BUILT_IN.contains(scope) || names.contains(scope));
		return complete ? names : List.of(beans.getBeanNamesForType(KeyResolver.class));
	}

	private static Set<String> ids(RuleSet rules) {
		return rules.rules().stream().map(Rule::id).collect(Collectors.toCollection(LinkedHashSet::new));
	}

	/**
	 * The rules of the configuration.
	 * @return the rules that are enabled
	 */
	public RuleSet rules() {
		return this.rules;
	}

	/**
	 * The warnings for valid values that have no effect or are unsafe.
	 * @return full sentences
	 */
	public List<String> warnings() {
		return this.warnings;
	}

	/**
	 * Returns the origin of a rule.
	 * @param rule the id of the rule
	 * @return a file and line, an annotation, a bean, or code
	 */
	public String origin(String rule) {
		return this.origins.of(rule);
	}

	/**
	 * Reads an annotation.
	 * @param use the annotation and its location
	 * @return the rule that it defines, or that it names with the annotation's key and
	 * cost; {@code null} if that rule is disabled
	 * @throws io.tierlimit.rule.InvalidRulesException if the annotation is not valid
	 */
	public @Nullable Rule read(RateLimitedOperation use) {
		return this.annotations.read(use);
	}

	/**
	 * Checks annotations that have not been checked yet.
	 * @param scanner finds the annotations of beans
	 * @throws io.tierlimit.rule.InvalidRulesException if one of them is not valid
	 */
	public void check(RateLimitedBeanScanner scanner) {
		Problems problems = new Problems();
		check(scanner, this.annotations, problems);
		problems.warnings().forEach(logger::warn);
	}

	private static void check(RateLimitedBeanScanner scanner, AnnotationReader annotations, Problems problems) {
		scanner.obstacles().forEach(problems::add);
		scanner.uses().forEach((use) -> annotations.read(use, problems));
		problems.report();
	}

}
