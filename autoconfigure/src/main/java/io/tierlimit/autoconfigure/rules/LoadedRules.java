package io.tierlimit.autoconfigure.rules;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.tierlimit.evaluation.CurrentMode;
import io.tierlimit.method.RateLimitedOperation;
import io.tierlimit.rule.CallerOverride;
import io.tierlimit.rule.RuleSet;
import org.jspecify.annotations.Nullable;

/**
 * The rules of all sources, as they were read together, and where they are written.
 *
 * @param rules the rules that are enabled
 * @param mode the mode of all rules, and the place that sets it
 * @param configured the rules and overrides of the configuration
 * @param sources the rules of rule sources
 * @param annotations reads annotations that are found later
 * @param overrides the places of overrides
 * @param ruleWarnings full sentences about valid values that have no effect or are unsafe
 * @param overrideWarnings full sentences about overrides that have no effect or are
 * unsafe
 */
record LoadedRules(RuleSet rules, CurrentMode mode, ConfiguredTexts configured, SourceTexts sources,
		AnnotationReader annotations, Map<CallerOverride, String> overrides, List<String> ruleWarnings,
		List<String> overrideWarnings) {

	/** All warnings. */
	List<String> warnings() {
		return Stream.concat(this.ruleWarnings.stream(), this.overrideWarnings.stream()).toList();
	}

	/** The same rules with warnings about them. */
	LoadedRules withRuleWarnings(List<String> warnings) {
		return new LoadedRules(this.rules, this.mode, this.configured, this.sources, this.annotations, this.overrides,
				warnings, this.overrideWarnings);
	}

	/** Returns these rules as the successors of the previous rules. */
	LoadedRules after(LoadedRules previous) {
		return with(this.rules.after(previous.rules), this.overrides, this.overrideWarnings);
	}

	/** The same rules with other overrides, their places, and the warnings about them. */
	LoadedRules with(Map<CallerOverride, String> places, List<String> warnings) {
		return with(this.rules.overrides(List.copyOf(places.keySet())), places, warnings);
	}

	private LoadedRules with(RuleSet set, Map<CallerOverride, String> places, List<String> warnings) {
		return new LoadedRules(set, this.mode, this.configured, this.sources, this.annotations, places,
				this.ruleWarnings, warnings);
	}

	/**
	 * Returns the place that defines a rule: a file and line, an annotation, a bean, or
	 * the place in a rule source. If a rule source changes the rule, the place of the
	 * change follows.
	 */
	String origin(String id) {
		String definition = definition(id);
		SourceTexts.OfRule changes = this.sources.of(id);
		return (changes == null) ? String.valueOf(definition)
				: (definition == null) ? changes.place() : definition + ", changed by " + changes.place();
	}

	private @Nullable String definition(String id) {
		RateLimitedOperation use = this.annotations.definitionOf(id);
		String bean = this.annotations.beanOf(id);
		return (use != null) ? use.toString() : (bean != null) ? "bean '" + bean + "'" : this.configured.origin(id);
	}

	/** Returns a file and line, or the place in a rule source. */
	String origin(CallerOverride override) {
		return this.overrides.getOrDefault(override, "");
	}

}
