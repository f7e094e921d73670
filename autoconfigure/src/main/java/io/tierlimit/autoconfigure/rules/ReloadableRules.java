package io.tierlimit.autoconfigure.rules;

import java.time.Instant;
import java.util.ArrayList;
import java.util.concurrent.ConcurrentHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;

import io.tierlimit.evaluation.CompiledRules;
import io.tierlimit.evaluation.ReloadResult;
import io.tierlimit.evaluation.ReloadResult.Outcome;
import io.tierlimit.evaluation.RuleReloader;
import io.tierlimit.evaluation.RulesInForce;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.RuleSet;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Reads the rules again while the application runs, and replaces those in force.
 */
final class ReloadableRules implements RuleReloader {

	private static final Log logger = LogFactory.getLog(ReloadableRules.class);

	private final ConfiguredRules configured;

	private final RulesInForce inForce;

	private final Map<Outcome, Long> counts = new ConcurrentHashMap<>();

	private volatile ReloadResult last;

	/**
	 * Creates a reloader.
	 * @param configured has the rules that were read at startup
	 * @param inForce has the compiled rules
	 */
	ReloadableRules(ConfiguredRules configured, RulesInForce inForce) {
		this.configured = configured;
		this.inForce = inForce;
		List<String> problems = configured.startupProblems();
		this.last = new ReloadResult(Instant.now(), problems.isEmpty() ? Outcome.UNCHANGED : Outcome.UNAVAILABLE,
				problems);
		for (Outcome outcome : Outcome.values()) {
			this.counts.put(outcome, 0L);
		}
	}

	@Override
	public synchronized ReloadResult reload() {
		List<String> failures = this.configured.sources().readAll();
		Problems problems = new Problems();
		Outcome outcome = reload(failures.isEmpty(), problems);
		List<String> sentences = new ArrayList<>(failures);
		sentences.addAll(problems.sentences());
		ReloadResult result = new ReloadResult(Instant.now(), outcome, sentences);
		if (!sentences.isEmpty() && !sentences.equals(this.last.problems())) {
			logger
				.warn(((outcome == Outcome.INVALID) ? "The rules are not valid, so the previous ones remain in force. "
						: "") + String.join(" ", sentences));
		}
		this.last = result;
		this.counts.merge(outcome, 1L, Long::sum);
		return result;
	}

	private Outcome reload(boolean available, Problems problems) {
		try {
			LoadedRules loaded = this.configured.load(problems);
			if (problems.count() > 0) {
				return Outcome.INVALID;
			}
			boolean replaced = replace(loaded);
			return !available ? Outcome.UNAVAILABLE : replaced ? Outcome.REPLACED : Outcome.UNCHANGED;
		}
		catch (RuntimeException ex) {
			problems.add("The rules cannot be read: " + ex);
			return Outcome.INVALID;
		}
	}

	private boolean replace(LoadedRules loaded) {
		RuleSet before = this.configured.rules();
		boolean changed = !loaded.rules().equals(before);
		CompiledRules compiled = changed ? this.inForce.compile(loaded.rules()) : this.inForce.current();
		List<String> knownWarnings = this.configured.warnings();
		this.configured.replace(loaded);
		if (changed) {
			this.inForce.replace(compiled);
			logger.info("The rules were reloaded. " + describe(byId(before), byId(loaded.rules())));
		}
		loaded.warnings().stream().filter((warning) -> !knownWarnings.contains(warning)).forEach(logger::warn);
		return changed;
	}

	private static String describe(Map<String, Rule> before, Map<String, Rule> after) {
		TreeSet<String> added = new TreeSet<>(after.keySet());
		added.removeAll(before.keySet());
		TreeSet<String> removed = new TreeSet<>(before.keySet());
		removed.removeAll(after.keySet());
		TreeSet<String> changed = new TreeSet<>(after.keySet());
		changed.removeIf((id) -> !before.containsKey(id) || Objects.equals(before.get(id), after.get(id)));
		return "Added: " + added + ", removed: " + removed + ", changed: " + changed + ".";
	}

	private static Map<String, Rule> byId(RuleSet rules) {
		Map<String, Rule> byId = new LinkedHashMap<>();
		rules.rules().forEach((rule) -> byId.put(rule.id(), rule));
		return byId;
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
