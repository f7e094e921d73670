package io.tierlimit.option.candidate;

import io.tierlimit.rule.OptionValue;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.RuleLimits;

/**
 * Limits that may replace the limits of a rule later. A derived rule with these limits is
 * charged for the same requests, and rejects nothing.
 *
 * @param limits the limits
 */
public record CandidateLimits(RuleLimits limits) implements OptionValue {

	private static final String SUFFIX = ".candidate";

	@Override
	public Rule derive(Rule rule) {
		return new Rule(idOf(rule.id()), rule.selection(), rule.scope(), this.limits, rule.cost(),
				rule.options().ofDerived(rule.id()));
	}

	/**
	 * The id of the candidate of a rule. If the id of the rule ends with a number, so
	 * does the id of the candidate.
	 */
	static String idOf(String rule) {
		int number = rule.indexOf('#');
		return (number < 0) ? rule + SUFFIX : rule.substring(0, number) + SUFFIX + rule.substring(number);
	}

}
