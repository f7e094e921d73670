package io.tierlimit.autoconfigure.rules;

import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.tierlimit.AppliesTo;
import io.tierlimit.RuleDefinition;
import io.tierlimit.autoconfigure.properties.FilterOrders;
import io.tierlimit.autoconfigure.properties.TierlimitProperties;
import io.tierlimit.evaluation.ModeInForce;
import io.tierlimit.method.RateLimitedBeanScanner;
import io.tierlimit.method.RateLimitedOperation;
import io.tierlimit.rule.CallerOverride;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.RuleSet;
import io.tierlimit.rule.Scope;
import io.tierlimit.spi.KeyResolver;
import io.tierlimit.spi.OverloadSignal;
import io.tierlimit.spi.PlanResolver;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
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

	private final InstantSource clock;

	/** The amendments of the last reading. */
	private volatile Amendments amendments = Amendments.NONE;

	/**
	 * Creates a loader.
	 * @param beans has rules, and the beans that rules name
	 * @param environment the configuration
	 * @param scanner finds annotations
	 * @param clock the time of the calendar
	 */
	RulesLoader(ConfigurableListableBeanFactory beans, Environment environment, RateLimitedBeanScanner scanner,
			InstantSource clock) {
		this.beans = beans;
		this.environment = environment;
		this.scanner = scanner;
		this.clock = clock;
	}

	/** Checks the properties except for the rules. */
	void checkSettings(BoundSettings bound, Problems problems) {
		TierlimitProperties properties = bound.properties();
		PropertyOrigins places = new PropertyOrigins(this.environment);
		bound.failures().report(places, problems);
		UnknownProperties.checkSettings(places, problems);
		SettingsCheck settings = new SettingsCheck(places, problems);
		settings.check(properties);
		if (this.beans.containsBean(FilterOrders.SECURITY_BEAN)) {
			settings.check(FilterOrders.of(this.environment, properties.web()));
		}
		new StoreCheck(this.beans, places, problems).check(properties);
		new TablesCheck(this.beans, places, problems).check(properties);
		new PlanSourcesCheck(this.beans, places, problems).check(properties.plan());
	}

	/**
	 * Reads the rules.
	 * @param reading what the rule sources have returned
	 * @param settings all other properties
	 * @param problems collects all problems; the result must not be used if there are any
	 * @return the rules that are valid
	 */
	LoadedRules load(RuleSources.Reading reading, TierlimitProperties settings, Problems problems) {
		BoundRules bound = BoundRules.bind(this.environment);
		bound.failures().report(bound.places(), problems);
		UnknownProperties.checkRules(bound.places(), problems);
		Amendments amendments = Amendments.of(reading.sources(), this.amendments, this.environment, problems);
		this.amendments = amendments;
		Map<String, RuleDefinition> definitions = this.beans.getBeansOfType(RuleDefinition.class);
		this.scanner.scan(this.beans);
		Collection<RateLimitedOperation> uses = this.scanner.uses();
		Map<String, String> definers = new LinkedHashMap<>();
		bound.rules().keySet().forEach((id) -> definers.put(id, "the configuration"));
		definitions.forEach((bean, definition) -> definers.putIfAbsent(definition.id(), "bean '" + bean + "'"));
		List<Amendment> added = amendments
			.except(Stream.concat(definers.keySet().stream(), AnnotationReader.idsOf(uses, this.environment).stream()));
		added.forEach((rule) -> definers.put(rule.id(), "a rule source (" + rule.origin() + ")"));
		List<String> keyResolvers = keyResolvers(
				Stream.concat(bound.rules().values().stream().flatMap((rule) -> rule.scope().stream()),
						amendments.all().stream().flatMap((rule) -> rule.scope().stream())));
		BeanNames named = new BeanNames(keyResolvers, List.of(this.beans.getBeanNamesForType(OverloadSignal.class)));

		List<Rule> rules = new ArrayList<>();
		RuleSetReader ruleReader = new RuleSetReader(named, bound.places(), amendments, problems);
		rules.addAll(ruleReader.read(bound.rules()));
		rules.addAll(ruleReader.readAdded(added));
		RuleDefinitionReader definitionReader = new RuleDefinitionReader(named, amendments, problems);
		rules.addAll(definitionReader.read(definitions, bound.rules().keySet()));

		Map<String, Rule> byId = new LinkedHashMap<>();
		rules.forEach((rule) -> byId.put(rule.id(), rule));
		AnnotationReader annotations = new AnnotationReader(definers, reading.incomplete(), named, amendments,
				this.environment);
		this.scanner.obstacles().forEach(problems::add);
		Map<String, Set<String>> arguments = new HashMap<>();
		Set<String> inactive = new HashSet<>(definers.keySet());
		for (RateLimitedOperation use : uses) {
			Rule rule = annotations.read(use, byId::get, problems);
			if (rule != null && byId.putIfAbsent(rule.id(), rule) == null) {
				arguments.put(rule.id(), use.arguments().keySet());
			}
			inactive.add(annotations.idOf(use));
		}
		inactive.removeAll(byId.keySet());
		ModeInForce mode = Objects.requireNonNullElseGet(amendments.mode(), bound::modeInForce);
		RuleSet all = new RuleSet(List.copyOf(byId.values()), arguments, inactive, List.of(), mode.mode());
		checkCandidates(byId, problems);
		AdaptiveReader.checkResources(byId.values(), problems);
		checkApplication(all, problems);
		warnIfDefaultPlanHasNoEffect(all, settings.plan().defaultPlan(), bound.places(), problems);
		LoadedRules loaded = new LoadedRules(all, mode, bound, annotations,
				new RuleOrigins(bound.places(), amendments, annotations, definitionReader, Map.of()),
				problems.warnings(), List.of());
		return edit(loaded, reading, null, settings, problems);
	}

	/** Reports rules that have the id of a candidate. */
	private static void checkCandidates(Map<String, Rule> byId, Problems problems) {
		for (Rule rule : byId.values()) {
			Rule candidate = rule.candidate();
			if (candidate != null && byId.containsKey(candidate.id())) {
				problems.add("Rule '" + rule.id() + "': its candidate has the id '" + candidate.id()
						+ "', which is the id of another rule. Rename that rule, or remove the candidate.");
			}
		}
	}

	/**
	 * Reads the overrides, with rules that were read before.
	 * @param loaded the rules
	 * @param reading what the rule sources have returned, with other overrides
	 * @param edited the id of an override that was edited; {@code null} if none was
	 * @param settings all other properties
	 * @param problems collects the problems of overrides
	 * @return the rules with the overrides that are valid
	 */
	LoadedRules edit(LoadedRules loaded, RuleSources.Reading reading, @Nullable String edited,
			TierlimitProperties settings, Problems problems) {
		OverrideReader reader = new OverrideReader(loaded.rules(), reading.incomplete(), settings.clientIp(), edited,
				this.clock.instant(), problems);
		List<CallerOverride> overrides = reader.read(reading.overrides(), loaded.bound());
		List<String> warnings = problems.warnings()
			.stream()
			.filter((warning) -> !loaded.ruleWarnings().contains(warning))
			.toList();
		return loaded.with(overrides, reader.origins(), warnings);
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
	private List<String> keyResolvers(Stream<String> scopes) {
		List<String> names = List.of(this.beans.getBeanNamesForType(KeyResolver.class, true, false));
		boolean complete = scopes.allMatch((scope) -> Scope.BUILT_IN.contains(scope) || names.contains(scope));
		return complete ? names : List.of(this.beans.getBeanNamesForType(KeyResolver.class));
	}

}
