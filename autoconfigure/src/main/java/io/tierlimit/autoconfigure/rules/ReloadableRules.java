package io.tierlimit.autoconfigure.rules;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

import io.tierlimit.RuleMode;
import io.tierlimit.evaluation.CompiledRules;
import io.tierlimit.evaluation.CurrentMode;
import io.tierlimit.evaluation.OverrideEditor;
import io.tierlimit.evaluation.ReloadResult;
import io.tierlimit.evaluation.ReloadResult.Outcome;
import io.tierlimit.evaluation.RuleReloader;
import io.tierlimit.evaluation.ActiveRules;
import io.tierlimit.rule.CallerOverride;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.RuleSet;
import io.tierlimit.rule.reader.Problems;
import io.tierlimit.rule.reader.PropertyText;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Reads the rules again while the application runs, or edits overrides, and replaces the
 * current rules. A reload waits for the sources, and an edit waits for the store of
 * overrides. The lock of this object covers only the exchange of the rules, so a change
 * of the mode of all rules waits for neither of them.
 */
final class ReloadableRules implements RuleReloader, OverrideEditor {

	private static final Log logger = LogFactory.getLog(ReloadableRules.class);

	private final ConfiguredRules configured;

	private final ActiveRules current;

	private final Map<Outcome, Long> counts = new ConcurrentHashMap<>();

	/** Locked during a reload, which waits for all sources. */
	private final Object reloading = new Object();

	/**
	 * Locked while the store of overrides is read or written, and until the result takes
	 * effect, so that a reload and an edit do not undo each other. Other sources are read
	 * without this lock.
	 */
	private final Object storing = new Object();

	private volatile ReloadResult last;

	/** Why parts of the configuration cannot be read again. */
	private volatile List<String> unreadable = List.of();

	/** The problems of rules and sources that were logged last. */
	private List<String> logged;

	/**
	 * Creates a reloader.
	 * @param configured has the rules that were read at startup
	 * @param current has the compiled rules
	 */
	ReloadableRules(ConfiguredRules configured, ActiveRules current) {
		this.configured = configured;
		this.current = current;
		this.last = configured.startup();
		this.logged = this.last.problems();
		for (Outcome outcome : Outcome.values()) {
			this.counts.put(outcome, 0L);
		}
	}

	@Override
	public ReloadResult reload() {
		RuleSources sources = this.configured.sources();
		synchronized (this.reloading) {
			RuleSources.Reading others = sources.readOthers(this.configured.current().reading());
			synchronized (this.storing) {
				RuleSources.Reading reading = sources.readStore(this.configured.current().reading(), others);
				Problems problems = new Problems();
				return report(reload(reading, problems), reading.failures(), problems.sentences());
			}
		}
	}

	private ReloadResult report(Outcome read, List<RuleSources.Failure> failures, List<String> problems) {
		List<String> sentences = new ArrayList<>();
		failures.forEach((failure) -> sentences.add(failure.withoutMessage()));
		sentences.addAll(problems);
		if (!sentences.equals(this.logged)) {
			log(read, failures, problems);
			this.logged = List.copyOf(sentences);
		}
		List<String> files = this.unreadable;
		sentences.addAll(0, files);
		Outcome outcome = (files.isEmpty() || read == Outcome.INVALID) ? read : Outcome.UNAVAILABLE;
		ReloadResult result = new ReloadResult(Instant.now(), outcome, sentences);
		this.last = result;
		this.counts.merge(outcome, 1L, Long::sum);
		return result;
	}

	@Override
	public ReloadResult reload(List<String> problems) {
		this.unreadable = List.copyOf(problems);
		return reload();
	}

	private static void log(Outcome outcome, List<RuleSources.Failure> failures, List<String> problems) {
		if (failures.isEmpty() && problems.isEmpty()) {
			logger.info("The rules of all sources can be read again.");
			return;
		}
		List<String> sentences = new ArrayList<>();
		sentences.add((outcome == Outcome.INVALID) ? "The rules are not valid, so the previous ones remain active."
				: "What the following rule sources have returned before remains active.");
		failures.forEach((failure) -> sentences.add(failure.withMessage()));
		sentences.addAll(problems);
		logger.warn(String.join(" ", sentences));
	}

	private Outcome reload(RuleSources.Reading reading, Problems problems) {
		try {
			LoadedRules loaded = this.configured.load(reading, problems);
			if (problems.count() == 0) {
				boolean changed = replace(reading, loaded);
				return !reading.failures().isEmpty() ? Outcome.UNAVAILABLE
						: changed ? Outcome.REPLACED : Outcome.UNCHANGED;
			}
		}
		catch (RuntimeException ex) {
			problems.add("The rules cannot be read: " + ex);
		}
		replaceOverrides(reading);
		return Outcome.INVALID;
	}

	/**
	 * Applies the overrides of sources even though a rule is not valid: a mistake in a
	 * rule must not delay that a caller is blocked. The rules remain as they are.
	 */
	private void replaceOverrides(RuleSources.Reading reading) {
		RuleSources.Reading mixed = this.configured.current().reading().withOverridesOf(reading);
		Problems problems = new Problems();
		LoadedRules loaded = this.configured.edit(mixed, null, problems);
		if (problems.count() == 0) {
			replace(mixed, loaded);
		}
	}

	/** Replaces the rules that were read before, and logs the differences. */
	private boolean replace(RuleSources.Reading reading, LoadedRules loaded) {
		LoadedRules before = this.configured.current().loaded();
		boolean changed = exchange((rules) -> rules.with(reading, loaded));
		if (!before.rules().rules().equals(loaded.rules().rules())) {
			logger.info("The rules were reloaded. " + describe(byId(before.rules()), byId(loaded.rules())));
		}
		if (!before.rules().overrides().equals(loaded.rules().overrides())) {
			logger.info("The overrides were reloaded: " + loaded.rules().overrides().size() + " of them.");
		}
		logWarnings(before, loaded);
		return changed;
	}

	/** Logs the warnings that are new. */
	private static void logWarnings(LoadedRules before, LoadedRules loaded) {
		List<String> known = before.warnings();
		loaded.warnings().stream().filter((warning) -> !known.contains(warning)).forEach(logger::warn);
	}

	/** Compiles first, so that nothing has changed if this fails. */
	private synchronized boolean exchange(UnaryOperator<CurrentRules> change) {
		CurrentRules before = this.configured.current();
		CurrentRules after = change.apply(before);
		RuleSet rules = after.rules();
		CompiledRules compiled = rules.equals(before.rules()) ? null : this.current.compile(rules);
		this.configured.replace(after);
		if (compiled != null) {
			this.current.replace(compiled);
		}
		if (after.mode().mode() != before.mode().mode()) {
			logger.warn(after.mode().describe());
		}
		return compiled != null;
	}

	@Override
	public Edit set(String id, Map<String, String> properties) {
		synchronized (this.storing) {
			String stored = storedId(id);
			return edit((stored != null) ? stored : id, OverrideProperties.normalized(properties));
		}
	}

	@Override
	public Edit remove(String id) {
		synchronized (this.storing) {
			String stored = storedId(id);
			if (stored != null) {
				return edit(stored, null);
			}
			Placed known = placed(this.configured.current().loaded(), id);
			return (known == null) ? new Edit(Edit.Outcome.UNKNOWN, List.of(), null, null)
					: failed(Edit.Outcome.INVALID,
							"Override '" + id + "' was not set through the management endpoint, "
									+ "but is defined elsewhere (" + known.origin()
									+ "). Remove it there, or set another one with the same id.",
							known);
		}
	}

	private static Edit failed(Edit.Outcome outcome, String problem, @Nullable Placed known) {
		return new Edit(outcome, List.of(problem), known, known);
	}

	@Override
	public String originOf(CallerOverride override) {
		return this.configured.current().loaded().origin(override);
	}

	private static @Nullable Placed placed(LoadedRules loaded, String id) {
		return loaded.rules()
			.overrides()
			.stream()
			.filter((override) -> PropertyText.plain(override.id()).equals(PropertyText.plain(id)))
			.findFirst()
			.map((override) -> new Placed(override, loaded.origin(override)))
			.orElse(null);
	}

	private @Nullable String storedId(String id) {
		return this.configured.sources().storedId(this.configured.current().reading(), id);
	}

	private Edit edit(String id, @Nullable Map<String, String> properties) {
		CurrentRules before = this.configured.current();
		Placed known = placed(before.loaded(), id);
		RuleSources.Reading reading = this.configured.sources().edited(before.reading(), id, properties);
		Problems problems = new Problems();
		LoadedRules loaded = this.configured.edit(reading, id, problems);
		if (problems.count() > 0) {
			return new Edit(Edit.Outcome.INVALID, problems.sentences(), known, known);
		}
		try {
			this.configured.sources().store(id, properties);
		}
		catch (IllegalArgumentException ex) {
			return failed(Edit.Outcome.INVALID, "Override '" + id + "': " + ex.getMessage() + ".", known);
		}
		catch (Exception ex) {
			logger.warn("Override '" + id + "' cannot be stored, so it is not changed.", ex);
			return failed(Edit.Outcome.UNAVAILABLE, "Override '" + id + "' cannot be stored. The log has the cause.",
					known);
		}
		exchange((rules) -> rules.with(reading, loaded));
		logWarnings(before.loaded(), loaded);
		return new Edit(Edit.Outcome.DONE, List.of(), known, placed(loaded, id));
	}

	@Override
	public CurrentMode setMode(@Nullable RuleMode mode) {
		exchange((rules) -> rules.with(mode));
		return mode();
	}

	@Override
	public CurrentMode mode() {
		return this.configured.mode();
	}

	private static String describe(Map<String, Rule> before, Map<String, Rule> after) {
		return "Added: " + ids(after, (rule) -> !before.containsKey(rule.id())) + ", removed: "
				+ ids(before, (rule) -> !after.containsKey(rule.id())) + ", changed: "
				+ ids(after, (rule) -> !rule.equals(before.getOrDefault(rule.id(), rule))) + ".";
	}

	private static Set<String> ids(Map<String, Rule> rules, Predicate<Rule> selected) {
		return rules.values().stream().filter(selected).map(Rule::id).collect(Collectors.toCollection(TreeSet::new));
	}

	private static Map<String, Rule> byId(RuleSet rules) {
		return rules.rules().stream().collect(Collectors.toMap(Rule::id, (rule) -> rule));
	}

	@Override
	public ReloadResult last() {
		return this.last;
	}

	@Override
	public Map<Outcome, Long> counts() {
		return Map.copyOf(this.counts);
	}

}
