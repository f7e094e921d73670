package io.tierlimit.autoconfigure.rules;

import io.tierlimit.RuleMode;
import io.tierlimit.evaluation.CurrentMode;
import io.tierlimit.rule.RuleSet;
import org.jspecify.annotations.Nullable;

/**
 * The rules of all sources at one time, with the answers of the rule sources and the mode
 * that an operator has set. A change creates a new object.
 *
 * @param reading the last answers of the rule sources
 * @param loaded the rules of all sources
 * @param ownMode the mode of all rules that an operator has set on this instance;
 * {@code null} for the mode of the sources
 */
record CurrentRules(RuleSources.Reading reading, LoadedRules loaded, @Nullable RuleMode ownMode) {

	/**
	 * Returns a copy with new answers of the sources, and the rules that were read from
	 * them.
	 */
	CurrentRules with(RuleSources.Reading reading, LoadedRules loaded) {
		return new CurrentRules(reading, loaded.after(this.loaded), this.ownMode);
	}

	/** Returns a copy with another mode of the operator. */
	CurrentRules with(@Nullable RuleMode ownMode) {
		return new CurrentRules(this.reading, this.loaded, ownMode);
	}

	/** The mode of all rules. */
	CurrentMode mode() {
		return (this.ownMode != null) ? new CurrentMode(this.ownMode, EndpointOverrides.NAME) : this.loaded.mode();
	}

	/** The rules in the mode of all rules. */
	RuleSet rules() {
		return this.loaded.rules().mode(mode().mode());
	}

}
