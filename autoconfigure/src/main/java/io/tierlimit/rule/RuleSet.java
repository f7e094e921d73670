package io.tierlimit.rule;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The rules in force, in the order in which headers list them.
 *
 * @param rules the rules, each with its own id
 */
public record RuleSet(List<Rule> rules) {

	/**
	 * Creates a rule set.
	 * @throws IllegalArgumentException if two rules have the same id
	 */
	public RuleSet {
		rules = List.copyOf(rules);
		Set<String> ids = new HashSet<>();
		for (Rule rule : rules) {
			if (!ids.add(rule.id())) {
				throw new IllegalArgumentException(
						"Rule '" + rule.id() + "': the id must be unique, but two rules have it");
			}
		}
	}

}
