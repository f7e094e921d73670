package io.tierlimit.autoconfigure.rules;

import java.util.List;
import java.util.function.Function;

import io.tierlimit.autoconfigure.properties.StartupFailurePolicy;
import io.tierlimit.method.RateLimitedBeanScanner;
import io.tierlimit.method.RateLimitedOperation;
import io.tierlimit.method.RateLimitedReader;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.RuleSet;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The rules of all sources, as they were read last.
 */
public final class ConfiguredRules implements RateLimitedReader {

	/**
	 * The name of the BucketStore bean, which backs off if the application defines one.
	 */
	public static final String STORE_BEAN = "rateLimitBucketStore";

	/**
	 * The name of the PlanResolver bean, which backs off if the application defines one.
	 */
	public static final String PLAN_RESOLVER_BEAN = "rateLimitPlanResolver";

	private static final Log logger = LogFactory.getLog(ConfiguredRules.class);

	private final RulesLoader loader;

	private final RuleSources sources;

	private final @Nullable String defaultPlan;

	private final List<String> startupProblems;

	private volatile LoadedRules loaded;

	/**
	 * Reads all rules.
	 * @param loader reads the rules
	 * @param sources the rule sources
	 * @param settings all other properties, which are checked, too
	 * @throws io.tierlimit.rule.InvalidRulesException if anything is not valid, or a
	 * source cannot be read, unless the application starts without such sources
	 */
	ConfiguredRules(RulesLoader loader, RuleSources sources, BoundSettings settings) {
		this.loader = loader;
		this.sources = sources;
		this.defaultPlan = settings.properties().plan().defaultPlan();
		boolean fails = settings.properties().reload().onStartupFailure() == StartupFailurePolicy.FAIL;
		Problems problems = new Problems();
		loader.checkSettings(settings, problems);
		List<String> failures = sources.readAll();
		LoadedRules read = load(problems);
		if (fails) {
			failures.forEach(problems::add);
		}
		else if (!sources.last().isEmpty() && problems.count() > 0) {
			failures.addAll(problems.sentences());
			problems = new Problems();
			loader.checkSettings(settings, problems);
			read = loader.load(List.of(), this.defaultPlan, problems);
		}
		problems.report();
		if (!failures.isEmpty()) {
			logger.warn("The application starts without rules of rule sources. " + String.join(" ", failures));
		}
		this.startupProblems = List.copyOf(failures);
		this.loaded = read;
	}

	LoadedRules load(Problems problems) {
		return this.loader.load(this.sources.last(), this.defaultPlan, problems);
	}

	RuleSources sources() {
		return this.sources;
	}

	/** Why the rules of sources were not in force at startup. */
	List<String> startupProblems() {
		return this.startupProblems;
	}

	void replace(LoadedRules loaded) {
		this.loaded = loaded;
	}

	/**
	 * The rules.
	 * @return the rules that are enabled
	 */
	public RuleSet rules() {
		return this.loaded.rules();
	}

	/**
	 * The warnings for valid values that have no effect or are unsafe.
	 * @return full sentences
	 */
	public List<String> warnings() {
		return this.loaded.warnings();
	}

	/**
	 * Returns the origin of a rule.
	 * @param rule the id of the rule
	 * @return a file and line, an annotation, a bean, or the place in a rule source
	 */
	public String origin(String rule) {
		return this.loaded.origins().of(rule);
	}

	@Override
	public @Nullable Rule read(RateLimitedOperation use, Function<String, @Nullable Rule> rules) {
		return this.loaded.annotations().read(use, rules);
	}

	/**
	 * Checks annotations that have not been checked yet.
	 * @param scanner finds the annotations of beans
	 * @param rules finds a rule in force by its id
	 * @throws io.tierlimit.rule.InvalidRulesException if one of them is not valid
	 */
	public void check(RateLimitedBeanScanner scanner, Function<String, @Nullable Rule> rules) {
		Problems problems = new Problems();
		scanner.obstacles().forEach(problems::add);
		scanner.uses().forEach((use) -> this.loaded.annotations().read(use, rules, problems));
		problems.report();
		problems.warnings().forEach(logger::warn);
	}

}
