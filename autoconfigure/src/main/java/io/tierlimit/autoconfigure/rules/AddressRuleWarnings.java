package io.tierlimit.autoconfigure.rules;

import java.util.List;
import java.util.Set;
import java.util.function.Function;

import io.tierlimit.key.ExpressionFact;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.Scope;
import io.tierlimit.rule.Selection;
import io.tierlimit.rule.reader.Problems;

/**
 * Warns of rules per client address that are checked after authentication only because
 * they list plans. Such a rule does not protect the check of passwords.
 *
 * @param rules all rules
 */
record AddressRuleWarnings(List<Rule> rules) {

	/** Warns of each such rule whose requests no other rule checks earlier. */
	void warn(Function<Rule, String> origins, Problems problems) {
		List<Rule> ofAddresses = this.rules.stream().filter(AddressRuleWarnings::isPerAddress).toList();
		List<Rule> early = ofAddresses.stream()
			.filter((rule) -> rule.limits().plans().isEmpty() && !rule.isShadow()
					&& rule.options().expressions().isEmpty())
			.toList();
		ofAddresses.stream()
			.filter((rule) -> !rule.limits().plans().isEmpty())
			.filter((rule) -> early.stream().noneMatch((other) -> covers(other.selection(), rule.selection())))
			.forEach((rule) -> problems.warn(
					"Rule '" + rule.id() + "' (" + origins.apply(rule)
							+ ") has the scope ip, but is checked after authentication, because it lists plans: "
							+ "passwords can be guessed without a limit",
					"Add a rule with the scope ip and without plans, or remove", "plans of the rule"));
	}

	/** Whether the rule would be checked before authentication if it had no plans. */
	private static boolean isPerAddress(Rule rule) {
		List<String> scopes = rule.scope().names();
		return rule.appliesToRequests() && scopes.contains(Scope.IP)
				&& Set.of(Scope.IP, Scope.ENDPOINT).containsAll(scopes)
				&& !RuleExpressions.read(rule, ExpressionFact.IDENTITY);
	}

	/**
	 * Whether a selection contains each request of another selection. Paths and methods
	 * are compared as strings.
	 */
	private static boolean covers(Selection all, Selection some) {
		return (all.paths().isEmpty() || (all.paths().containsAll(some.paths()) && !some.paths().isEmpty()))
				&& some.excludePaths().containsAll(all.excludePaths()) && (all.methods().isEmpty()
						|| (all.methods().containsAll(some.methods()) && !some.methods().isEmpty()));
	}

}
