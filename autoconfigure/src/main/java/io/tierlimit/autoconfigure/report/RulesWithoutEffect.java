package io.tierlimit.autoconfigure.report;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.tierlimit.AppliesTo;
import io.tierlimit.evaluation.CompiledRule;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.Selection;

/**
 * Finds rules that are valid, but have no effect: nothing applies them, they can never
 * match, or they reject nothing. What may be intended is not reported.
 */
final class RulesWithoutEffect {

	private final Set<String> named;

	private final boolean limiter;

	/**
	 * Creates a search.
	 * @param named the ids of rules that annotations name or write
	 * @param limiter whether the application has a bean with a RateLimiter
	 */
	RulesWithoutEffect(Set<String> named, boolean limiter) {
		this.named = named;
		this.limiter = limiter;
	}

	/**
	 * Finds rules that nothing applies, or that can never match.
	 * @param rules the rules in force
	 * @return a sentence for each rule, without a full stop
	 */
	List<String> unused(List<Rule> rules) {
		List<String> unused = new ArrayList<>();
		for (Rule rule : rules) {
			findUnreachable(rule, unused);
			if (!this.limiter && !isApplied(rule)) {
				unused.add("Rule '" + rule.id() + "' is held nowhere: it applies to methods, no annotation names it, "
						+ "and no bean has a RateLimiter");
			}
		}
		return unused;
	}

	private static void findUnreachable(Rule rule, List<String> unused) {
		Selection selection = rule.selection();
		List<String> excluded = selection.excludePaths();
		boolean allExcluded = !selection.paths().isEmpty() && excluded.containsAll(selection.paths());
		if (allExcluded || excluded.contains("/**")) {
			unused.add("Rule '" + rule.id() + "' can never match: its exclude-paths leave nothing of its paths");
		}
		if ("false".equals(selection.condition())) {
			unused.add("Rule '" + rule.id() + "' can never match: its condition is false");
		}
	}

	/**
	 * Finds rules that reject nothing because every request costs 0 permits. A rule that
	 * only programs use has the cost that they give.
	 * @param compiled the rules in force and their variants: an annotation may give a
	 * cost to what is free otherwise
	 * @return a sentence for each rule, without a full stop
	 */
	List<String> free(Collection<CompiledRule> compiled) {
		Map<String, Boolean> free = new LinkedHashMap<>();
		for (CompiledRule rule : compiled) {
			if (isApplied(rule.rule())) {
				free.merge(rule.rule().id(), rule.isFree(), Boolean::logicalAnd);
			}
		}
		return free.entrySet()
			.stream()
			.filter(Map.Entry::getValue)
			.map((rule) -> "Rule '" + rule.getKey() + "' rejects nothing: it has cost 0. Set its cost to 1 or more")
			.toList();
	}

	/** Whether requests or annotated methods are checked against the rule. */
	private boolean isApplied(Rule rule) {
		return rule.selection().appliesTo() == AppliesTo.REQUESTS || this.named.contains(rule.id());
	}

	/**
	 * Whether rules have a max-wait, which has no effect where nothing may wait. Shadow
	 * rules delay nothing anyway.
	 * @param compiled the rules in force and their variants
	 */
	static boolean anyWaits(Collection<CompiledRule> compiled) {
		return compiled.stream()
			.map(CompiledRule::rule)
			.anyMatch((rule) -> !rule.isShadow() && !rule.reservations().maxWait().isZero());
	}

}
