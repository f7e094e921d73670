package io.tierlimit.autoconfigure.rules;

import java.time.Instant;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.tierlimit.evaluation.CurrentMode;
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
 * The rules of all sources, as they were last read. This object has the only reference to
 * {@link CurrentRules}, which a change replaces as a whole.
 */
public final class ConfiguredRules implements RateLimitedReader {

	private static final Log logger = LogFactory.getLog(ConfiguredRules.class);

	private final RulesLoader loader;

	private final RuleSources sources;

	private final ReloadResult startup;

	private volatile CurrentRules current;

	/**
	 * Reads all rules.
	 * @param loader reads the rules
	 * @param sources the rule sources
	 * @param ignore whether the application also starts if a source cannot be read, or
	 * has rules that are not valid
	 * @throws io.tierlimit.rule.InvalidRulesException if anything is not valid, or a
	 * source cannot be read, unless the application starts without such sources
	 */
	ConfiguredRules(RulesLoader loader, RuleSources sources, boolean ignore) {
		this.loader = loader;
		this.sources = sources;
		RuleSources.Reading none = sources.none();
		RuleSources.Reading reading = sources.readStore(none, sources.readOthers(none));
		List<String> failures = reading.failures().stream().map(RuleSources.Failure::withMessage).toList();
		Problems problems = new Problems();
		if (!ignore) {
			failures.forEach(problems::add);
		}
		CurrentRules read = start(reading, problems);
		List<String> invalid = List.of();
		if (ignore && problems.count() > 0) {
			invalid = problems.sentences();
			problems = new Problems();
			read = start(none, problems);
		}
		problems.report();
		this.current = read;
		this.startup = startup(reading, invalid);
		if (!this.startup.problems().isEmpty()) {
			logger.warn("The application starts without rules of rule sources. "
					+ Stream.concat(failures.stream(), invalid.stream()).collect(Collectors.joining(" ")));
		}
	}

	private CurrentRules start(RuleSources.Reading reading, Problems problems) {
		this.loader.checkSettings(problems);
		return new CurrentRules(reading, load(reading, problems), null);
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
		return this.loader.load(reading, problems);
	}

	LoadedRules edit(RuleSources.Reading reading, @Nullable String edited, Problems problems) {
		return this.loader.edit(this.current.loaded(), reading, edited, problems);
	}

	/** The result of reading the rules at startup. */
	ReloadResult startup() {
		return this.startup;
	}

	CurrentRules current() {
		return this.current;
	}

	void replace(CurrentRules rules) {
		this.current = rules;
	}

	/**
	 * The rules.
	 * @return the rules that are enabled
	 */
	public RuleSet rules() {
		return this.current.rules();
	}

	/**
	 * The mode of all rules.
	 * @return the mode, and what has set it
	 */
	public CurrentMode mode() {
		return this.current.mode();
	}

	/**
	 * The warnings for valid values that have no effect or are unsafe.
	 * @return full sentences
	 */
	public List<String> warnings() {
		return this.current.loaded().warnings();
	}

	/**
	 * Returns the origin of a rule.
	 * @param rule the id of the rule
	 * @return a file and line, an annotation, a bean, or the place in a rule source
	 */
	public String origin(String rule) {
		return this.current.loaded().origin(rule);
	}

	@Override
	public String idOf(RateLimitedOperation use) {
		return this.current.loaded().annotations().idOf(use);
	}

	@Override
	public @Nullable Rule read(RateLimitedOperation use, Function<String, @Nullable Rule> rules) {
		return this.current.loaded().annotations().read(use, rules);
	}

	/**
	 * Checks annotations that have not been checked yet.
	 * @param scanner finds the annotations of beans
	 * @param rules finds a current rule by its id
	 * @throws io.tierlimit.rule.InvalidRulesException if one of them is not valid
	 */
	public void check(RateLimitedBeanScanner scanner, Function<String, @Nullable Rule> rules) {
		Problems problems = new Problems();
		scanner.obstacles().forEach(problems::add);
		scanner.uses().forEach((use) -> this.current.loaded().annotations().read(use, rules, problems));
		problems.report();
		problems.warnings().forEach(logger::warn);
	}

}
