package io.tierlimit.option;

import io.tierlimit.rule.RuleSet;

/**
 * Creates one kind of option for each rule set.
 */
@FunctionalInterface
public interface RuleOptionFactory {

	/**
	 * Creates the options of a rule set.
	 * @param rules the rules
	 * @return the options
	 */
	RuleSetOption of(RuleSet rules);

}
