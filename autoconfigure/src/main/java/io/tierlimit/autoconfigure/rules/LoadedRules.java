package io.tierlimit.autoconfigure.rules;

import java.util.List;

import io.tierlimit.evaluation.ModeInForce;
import io.tierlimit.rule.RuleSet;

/**
 * The rules of all sources, as they were read together.
 *
 * @param rules the rules that are enabled
 * @param mode the mode of all rules, and the place that sets it
 * @param annotations reads annotations that are found later
 * @param origins the places of the rules
 * @param warnings full sentences about valid values that have no effect or are unsafe
 */
record LoadedRules(RuleSet rules, ModeInForce mode, AnnotationReader annotations, RuleOrigins origins,
		List<String> warnings) {

	/** These rules as the successors of others. */
	LoadedRules after(LoadedRules previous) {
		return new LoadedRules(this.rules.after(previous.rules), this.mode, this.annotations, this.origins,
				this.warnings);
	}

}
