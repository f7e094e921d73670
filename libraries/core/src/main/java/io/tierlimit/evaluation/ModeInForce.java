package io.tierlimit.evaluation;

import io.tierlimit.RuleMode;

/**
 * The mode of all rules.
 *
 * @param mode {@code SHADOW}: no rule rejects requests; {@code ENFORCE}: each rule has
 * its own mode
 * @param origin what has set it: a file and line, the place in a rule source, the
 * management endpoint, or {@code default}
 */
public record ModeInForce(RuleMode mode, String origin) {

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
