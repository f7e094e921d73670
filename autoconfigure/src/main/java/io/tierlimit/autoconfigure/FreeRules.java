package io.tierlimit.autoconfigure;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.tierlimit.evaluation.CompiledRule;
import io.tierlimit.rule.AppliesTo;
import io.tierlimit.rule.Rule;

/**
 * Finds rules that reject nothing because every request costs 0 permits.
 */
final class FreeRules {

	private FreeRules() {
	}

	/**
	 * Finds rules.
	 * @param compiled the rules in force and their variants: an annotation may give a
	 * cost to what is free otherwise
	 * @param named the ids of rules that annotations name or write
	 * @return a sentence for each rule, without a full stop
	 */
	static List<String> find(Collection<CompiledRule> compiled, Set<String> named) {
		Map<String, Boolean> free = new LinkedHashMap<>();
		for (CompiledRule rule : compiled) {
			if (isChecked(rule.rule(), named)) {
				free.merge(rule.rule().id(), rule.isFree(), Boolean::logicalAnd);
			}
		}
		return free.entrySet()
			.stream()
			.filter(Map.Entry::getValue)
			.map((rule) -> "Rule '" + rule.getKey() + "' rejects nothing: it has cost 0. Set its cost to 1 or more")
			.toList();
	}

	/** A rule that only programs use has the cost that they give. */
	private static boolean isChecked(Rule rule, Set<String> named) {
		return rule.selection().appliesTo() == AppliesTo.REQUESTS || named.contains(rule.id());
	}

}
