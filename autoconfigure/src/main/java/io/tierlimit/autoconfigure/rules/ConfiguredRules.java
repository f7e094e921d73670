package io.tierlimit.autoconfigure.rules;

import java.time.Instant;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.tierlimit.autoconfigure.properties.StartupFailurePolicy;
import io.tierlimit.autoconfigure.properties.TierlimitProperties;
import io.tierlimit.evaluation.ModeInForce;
import io.tierlimit.evaluation.ReloadResult;
import io.tierlimit.evaluation.ReloadResult.Outcome;
import io.tierlimit.method.RateLimitedBeanScanner;
import io.tierlimit.method.RateLimitedOperation;
import io.tierlimit.method.RateLimitedReader;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.RuleSet;
import io.tierlimit.rule.reader.Problems;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The rules of all sources, as they were read last.
 */
public final class ConfiguredRules implements RateLimitedReader {

	/**
	 * The name of the BucketStore bean, which backs off if the application defines one.
	 * An application may give its own bean any name but this.
	 */
	public static final String STORE_BEAN = "io.tierlimit.bucketStore";

	/**
	 * The name of the PlanResolver bean, which backs off if the application defines one.
	 * An application may give its own bean any name but this.
	 */
	public static final String PLAN_RESOLVER_BEAN = "io.tierlimit.planResolver";

	private static final Log logger = LogFactory.getLog(ConfiguredRules.class);

	private final RulesLoader loader;

	private final RuleSources sources;

	private final TierlimitProperties settings;

	private final ReloadResult startup;

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
		this.settings = settings.properties();
		boolean ignore = settings.properties().reload().onStartupFailure() == StartupFailurePolicy.IGNORE;
		RuleSources.Reading reading = sources.read();
		List<String> failures = reading.failures().stream().map(RuleSources.Failure::withMessage).toList();
		Problems problems = new Problems();
		if (!ignore) {
			failures.forEach(problems::add);
		}
		loader.checkSettings(settings, problems);
		LoadedRules read = load(reading, problems);
		List<String> ofSources = List.of();
		if (ignore && problems.count() > 0 && !sources.areNone()) {
			ofSources = problems.sentences();
			problems = new Problems();
			loader.checkSettings(settings, problems);
			read = load(sources.none(), problems);
		}
		else {
			sources.keep(reading);
		}
		problems.report();
		this.loaded = read;
		this.startup = startup(reading, ofSources);
		if (!this.startup.problems().isEmpty()) {
			logger.warn("The application starts without rules of rule sources. "
					+ Stream.concat(failures.stream(), ofSources.stream()).collect(Collectors.joining(" ")));
		}
	}

	private static ReloadResult startup(RuleSources.Reading reading, List<String> invalid) {
		Outcome outcome = !invalid.isEmpty() ? Outcome.INVALID
				: reading.failures().isEmpty() ? Outcome.UNCHANGED : Outcome.UNAVAILABLE;
		return new ReloadResult(Instant.now(), outcome,
				Stream.concat(reading.failures().stream().map(RuleSources.Failure::withoutMessage), invalid.stream())
					.toList());
	}

	RuleSources sources() {
		return this.sources;
	}

	LoadedRules load(RuleSources.Reading reading, Problems problems) {
		return this.loader.load(reading, this.settings, problems);
	}

	LoadedRules edit(RuleSources.Reading reading, @Nullable String edited, Problems problems) {
		return this.loader.edit(this.loaded, reading, edited, this.settings, problems);
	}

	/** The result of reading the rules at startup. */
	ReloadResult startup() {
		return this.startup;
	}

	/** Replaces the rules by those of a reading without problems. */
	void replace(LoadedRules read, RuleSources.Reading reading) {
		this.sources.keep(reading);
		this.loaded = read;
	}

	/**
	 * The rules.
	 * @return the rules that are enabled
	 */
	public RuleSet rules() {
		return this.loaded.rules();
	}

	/**
	 * The mode of all rules that the sources set.
	 * @return the mode, and the place that sets it
	 */
	public ModeInForce mode() {
		return this.loaded.mode();
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

	LoadedRules loaded() {
		return this.loaded;
	}

	@Override
	public String idOf(RateLimitedOperation use) {
		return this.loaded.annotations().idOf(use);
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
