package io.tierlimit.autoconfigure.rules;

import io.tierlimit.RuleMode;
import io.tierlimit.evaluation.ModeInForce;
import io.tierlimit.rule.RuleSet;
import org.jspecify.annotations.Nullable;

/**
 * The rules of all sources at one time, with the answers of the sources and the mode of
 * the operator. A change creates another object.
 *
 * @param reading the last answers of the rule sources
 * @param loaded the rules of all sources
 * @param ownMode the mode of all rules that an operator has set on this instance;
 * {@code null} for the mode of the sources
 */
record CurrentRules(RuleSources.Reading reading, LoadedRules loaded, @Nullable RuleMode ownMode) {

	/** The successor with other answers of the sources, and the rules of these. */
	CurrentRules with(RuleSources.Reading reading, LoadedRules loaded) {
		return new CurrentRules(reading, loaded.after(this.loaded), this.ownMode);
	}

	/** The successor with another mode of the operator. */
	CurrentRules with(@Nullable RuleMode ownMode) {
		return new CurrentRules(this.reading, this.loaded, ownMode);
	}

	/** The mode of all rules. */
	ModeInForce mode() {
		return (this.ownMode != null) ? new ModeInForce(this.ownMode, EndpointOverrides.NAME) : this.loaded.mode();
	}

	/** The rules in that mode. */
	RuleSet rules() {
		return this.loaded.rules().mode(mode().mode());
	}

}
