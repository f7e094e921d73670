package io.tierlimit.autoconfigure.rules;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.tierlimit.evaluation.ModeInForce;
import io.tierlimit.rule.CallerOverride;
import io.tierlimit.rule.RuleSet;

/**
 * The rules of all sources, as they were read together.
 *
 * @param rules the rules that are enabled
 * @param mode the mode of all rules, and the place that sets it
 * @param configured the rules and overrides of the configuration
 * @param annotations reads annotations that are found later
 * @param origins the places of the rules
 * @param ruleWarnings full sentences about valid values that have no effect or are unsafe
 * @param overrideWarnings the same about overrides
 */
record LoadedRules(RuleSet rules, ModeInForce mode, ConfiguredTexts configured, AnnotationReader annotations,
		RuleOrigins origins, List<String> ruleWarnings, List<String> overrideWarnings) {

	/** All warnings. */
	List<String> warnings() {
		return Stream.concat(this.ruleWarnings.stream(), this.overrideWarnings.stream()).toList();
	}

	/** These rules as the successors of others. */
	LoadedRules after(LoadedRules previous) {
		return new LoadedRules(this.rules.after(previous.rules), this.mode, this.configured, this.annotations,
				this.origins, this.ruleWarnings, this.overrideWarnings);
	}

	/** The same rules with other overrides, their places, and the warnings about them. */
	LoadedRules with(List<CallerOverride> overrides, Map<CallerOverride, String> places, List<String> warnings) {
		return new LoadedRules(this.rules.overrides(overrides), this.mode, this.configured, this.annotations,
				this.origins.with(places), this.ruleWarnings, warnings);
	}

}
