package io.tierlimit.evaluation;

import io.tierlimit.RuleMode;

/**
 * The current mode of all rules.
 *
 * @param mode {@code SHADOW}: no rule rejects requests; {@code ENFORCE}: each rule has
 * its own mode
 * @param origin where the mode was set: a file and line, a location in a rule source, the
 * management endpoint, or {@code default}
 */
public record CurrentMode(RuleMode mode, String origin) {

	/**
	 * Describes the mode for logs.
	 * @return a full sentence
	 */
	public String describe() {
		return (this.mode == RuleMode.SHADOW)
				? "All rules are in shadow mode (" + this.origin + "), so no request is rejected."
				: "Rules are enforced (" + this.origin + "): each rule has its own mode.";
	}

}
