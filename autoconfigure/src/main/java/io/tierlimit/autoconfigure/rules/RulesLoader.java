package io.tierlimit.autoconfigure.rules;

import java.time.InstantSource;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.tierlimit.AppliesTo;
import io.tierlimit.RuleDefinition;
import io.tierlimit.autoconfigure.environment.PropertyNames;
import io.tierlimit.autoconfigure.environment.PropertyOrigins;
import io.tierlimit.autoconfigure.environment.PropertyPlaces;
import io.tierlimit.autoconfigure.environment.UnknownProperties;
import io.tierlimit.autoconfigure.properties.FilterOrders;
import io.tierlimit.autoconfigure.properties.StandardBeans;
import io.tierlimit.autoconfigure.rules.SourceTexts.OfRule;
import io.tierlimit.autoconfigure.settings.BoundSettings;
import io.tierlimit.autoconfigure.settings.SettingsCheck;
import io.tierlimit.evaluation.CurrentMode;
import io.tierlimit.key.ExpressionFact;
import io.tierlimit.limit.Algorithm;
import io.tierlimit.method.RateLimitedBeanScanner;
import io.tierlimit.method.RateLimitedOperation;
import io.tierlimit.option.BeanNames;
import io.tierlimit.option.OptionReader;
import io.tierlimit.option.RuleReader;
import io.tierlimit.option.standard.StandardOptions;
import io.tierlimit.rule.CallerOverride;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.RuleSet;
import io.tierlimit.rule.Scope;
import io.tierlimit.rule.reader.Problems;
import io.tierlimit.rule.reader.PropertyText;
import io.tierlimit.spi.KeyResolver;
import io.tierlimit.spi.PlanResolver;
import io.tierlimit.store.BucketStore;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/**
 * Reads and checks the rules of the configuration, of rule sources, of beans and of
 * annotations together.
 *
 * @param beans has rules, and the beans that rules name
 * @param environment the configuration
 * @param scanner finds annotations
 * @param settings all other properties
 * @param clock the clock for the ends of schedules and overrides
 * @param ownStore supplies the application's own store, and is called only if a rule has
 * an algorithm that not every store supports; {@code null} if the store cannot be created
 * yet, or if there is no such store
 * @param options reads the options of rules
 */
record RulesLoader(ConfigurableListableBeanFactory beans, Environment environment, RateLimitedBeanScanner scanner,
		BoundSettings settings, InstantSource clock, Supplier<@Nullable BucketStore> ownStore,
		List<OptionReader> options) {

	private static final boolean AUTHENTICATION = ClassUtils.isPresent(
			"org.springframework.security.authentication.event.AbstractAuthenticationEvent",
			RulesLoader.class.getClassLoader());

	RulesLoader(ConfigurableListableBeanFactory beans, Environment environment, RateLimitedBeanScanner scanner,
			BoundSettings settings, InstantSource clock, Supplier<@Nullable BucketStore> ownStore) {
		this(beans, environment, scanner, settings, clock, ownStore,
				Stream
					.concat(StandardOptions.readers(AUTHENTICATION || beans.containsBean(StandardBeans.AUTHENTICATION))
						.stream(), beans.getBeansOfType(OptionReader.class, true, false).values().stream())
					.toList());
	}

	private PropertyNames names() {
		return new PropertyNames(RuleReader.properties(this.options), OverrideProperties.NAMES,
				LoginProtection.NAMES.stream().map((name) -> "login-protection." + name).toList());
	}

	/** Checks the properties except for the rules. */
	void checkSettings(Problems problems) {
		new SettingsCheck(this.beans, this.environment, problems).check(this.settings, names());
	}

	/**
	 * Reads the rules.
	 * @param reading what the rule sources have returned
	 * @param problems collects all problems; the result must not be used if there are any
	 * @return the rules that are valid
	 */
	LoadedRules load(RuleSources.Reading reading, Problems problems) {
		String defaultPlan = this.settings.properties().plan().defaultPlan();
		ConfiguredTexts configured = ConfiguredTexts.read(new PropertyOrigins(this.environment),
				RuleReader.properties(this.options), problems);
		SourceTexts sources = new SourceTexts(reading.answers(), problems);
		checkNames(configured, sources, problems);
		Map<String, RuleDefinition> definitions = this.beans.getBeansOfType(RuleDefinition.class);
		this.scanner.scan(this.beans);
		Map<String, String> definers = definers(configured, definitions);
		List<OfRule> added = sources.except(Stream.concat(definers.keySet().stream(),
				AnnotationReader.idsOf(this.scanner.uses(), this.environment).stream()));
		added.forEach((rule) -> definers.put(rule.id(), "a rule source (" + rule.place() + ")"));
		BeanNames beanNames = new BeanNames(keyResolvers(configured, sources),
				(type) -> List.of(this.beans.getBeanNamesForType(type)), this::storeWithout);
		RuleSetReader reader = new RuleSetReader(beanNames, this.options, names(), configured, sources, defaultPlan,
				new HashMap<>());
		Map<String, Rule> byId = reader.read(added, definitions, problems);
		AnnotationReader annotations = new AnnotationReader(definers, reading.incomplete(), reader, this.environment);
		CurrentMode mode = Objects.requireNonNullElse(sources.mode(), configured.mode());
		RuleSet all = addAnnotated(annotations, definers.keySet(), byId, mode, problems);
		this.options.forEach((option) -> option.check(all.rules(), problems));
		checkApplication(all, problems);
		warnIfDefaultPlanHasNoEffect(all, defaultPlan, configured.places(), problems);
		LoadedRules loaded = new LoadedRules(all, mode, configured, sources, annotations, Map.of(), List.of(),
				List.of());
		if (problems.count() == 0 && this.beans.containsBean(FilterOrders.AUTHENTICATED_FILTER_BEAN)) {
			new AddressRuleWarnings(all.rules()).warn((rule) -> loaded.origin(rule.id()), problems);
		}
		return edit(loaded.withRuleWarnings(problems.warnings()), reading, null, problems);
	}

	/**
	 * Returns the name of the application's own store if it does not support an
	 * algorithm. The other stores support all algorithms, and are created after the
	 * rules.
	 */
	private @Nullable String storeWithout(Algorithm algorithm) {
		if (algorithm != Algorithm.CONCURRENCY || this.beans.containsBean(StandardBeans.STORE)) {
			return null;
		}
		BucketStore store = this.ownStore.get();
		return (store != null && !store.supports(algorithm)) ? store.name() : null;
	}

	private void checkNames(ConfiguredTexts configured, SourceTexts sources, Problems problems) {
		UnknownProperties unknown = new UnknownProperties(names(), configured.places(), problems);
		unknown.checkRules(configured.variables());
		sources.all().forEach((rule) -> unknown.check(PropertyPlaces.RULES, rule.id(), rule.texts()));
	}

	private static Map<String, String> definers(ConfiguredTexts configured, Map<String, RuleDefinition> definitions) {
		Map<String, String> definers = new LinkedHashMap<>();
		configured.rules().keySet().forEach((id) -> definers.put(id, "the configuration"));
		definitions.forEach((bean, definition) -> definers.putIfAbsent(definition.id(), "bean '" + bean + "'"));
		return definers;
	}

	/** Adds the rules that annotations define to the rules that are defined elsewhere. */
	private RuleSet addAnnotated(AnnotationReader annotations, Set<String> defined, Map<String, Rule> byId,
			CurrentMode mode, Problems problems) {
		this.scanner.obstacles().forEach(problems::add);
		Map<String, Map<String, Class<?>>> arguments = new HashMap<>();
		Set<String> inactive = new HashSet<>(defined);
		for (RateLimitedOperation use : this.scanner.uses()) {
			Rule rule = annotations.read(use, byId::get, problems);
			if (rule != null && byId.putIfAbsent(rule.id(), rule) == null) {
				arguments.put(rule.id(), use.argumentTypes());
			}
			inactive.add(annotations.idOf(use));
		}
		inactive.removeAll(byId.keySet());
		return new RuleSet(List.copyOf(byId.values()), arguments, inactive, List.of(), mode.mode());
	}

	/**
	 * Reads the overrides, with rules that were read before.
	 * @param loaded the rules
	 * @param reading what the rule sources have returned, with other overrides
	 * @param edited the id of an override that was edited; {@code null} if none was
	 * @param problems collects the problems of overrides
	 * @return the rules with the overrides that are valid
	 */
	LoadedRules edit(LoadedRules loaded, RuleSources.Reading reading, @Nullable String edited, Problems problems) {
		UnknownProperties names = new UnknownProperties(names(), loaded.configured().places(), problems);
		OverrideReader reader = new OverrideReader(loaded.rules(), reading.incomplete(),
				this.settings.properties().clientIp(), edited, this.clock.instant(), problems);
		Map<CallerOverride, String> overrides = reader.read(reading.overrides(), names, loaded.configured());
		List<String> warnings = problems.warnings()
			.stream()
			.filter((warning) -> !loaded.ruleWarnings().contains(warning))
			.toList();
		return loaded.with(overrides, warnings);
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
					+ "applies-to of these rules to code and use them with @RateLimited or a RateLimiter, remove "
					+ "them, or set tierlimit.enabled to false.");
		}
	}

	/**
	 * Compares the name of the type without its package, which depends on the version of
	 * Spring Boot.
	 */
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
		if (plan == null || rules.rules().isEmpty() || problems.count() > 0) {
			return;
		}
		boolean hasOtherUse = !this.scanner.uses().isEmpty()
				|| rules.rules().stream().anyMatch(RulesLoader::usesEveryPlan)
				|| !this.beans.containsBean(StandardBeans.PLAN_RESOLVER)
				|| this.beans.getBeanNamesForType(KeyResolver.class, true, false).length > 0;
		if (hasOtherUse) {
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
		return asScope || RuleExpressions.read(rule, Set.of(ExpressionFact.PLAN));
	}

	/**
	 * Finds the names of key resolvers. Factory beans are created for this search only if
	 * a rule names a scope that is not found otherwise.
	 */
	private List<String> keyResolvers(ConfiguredTexts configured, SourceTexts sources) {
		List<String> names = List.of(this.beans.getBeanNamesForType(KeyResolver.class, true, false));
		boolean complete = Stream
			.concat(configured.rules().values().stream().flatMap((rule) -> rule.all().stream()),
					sources.all().stream().flatMap((rule) -> rule.texts().stream()))
			.filter((text) -> PropertyText.canonical(text.name()).equals("scope"))
			.flatMap((text) -> text.texts().stream().flatMap((scope) -> Stream.of(scope.split(","))))
			.map(String::strip)
			.allMatch((scope) -> Scope.BUILT_IN.contains(scope) || names.contains(scope));
		return complete ? names : List.of(this.beans.getBeanNamesForType(KeyResolver.class));
	}

}
