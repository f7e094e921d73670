package io.tierlimit.autoconfigure.report;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

import io.tierlimit.AnonymousPolicy;
import io.tierlimit.AppliesTo;
import io.tierlimit.evaluation.CompiledRule;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.Scope;
import io.tierlimit.rule.Selection;

/**
 * Finds rules that are valid, but have no effect: they are not used, they never match, or
 * they reject no request. Rules that may be intended are not reported.
 */
final class RulesWithoutEffect {

	private final Set<String> named;

	private final boolean limiter;

	private final Function<Rule, String> names;

	/**
	 * Creates a search.
	 * @param named the ids of rules that annotations name or define
	 * @param limiter whether a bean uses the RateLimiter
	 * @param names the names of rules in messages
	 */
	RulesWithoutEffect(Set<String> named, boolean limiter, Function<Rule, String> names) {
		this.named = named;
		this.limiter = limiter;
		this.names = names;
	}

	/**
	 * Finds rules that are not used, or that never match.
	 * @param rules the rules in force
	 * @return full sentences for each rule
	 */
	List<String> unused(List<Rule> rules) {
		List<String> unused = new ArrayList<>();
		for (Rule rule : rules) {
			findUnreachable(rule, unused);
			if (!this.limiter && !isApplied(rule)) {
				unused.add(this.names.apply(rule) + " is not used: it applies to methods, but no annotation names it, "
						+ "and no bean uses a RateLimiter. Name it in @RateLimited, or remove it.");
			}
		}
		return unused;
	}

	private void findUnreachable(Rule rule, List<String> unused) {
		Selection selection = rule.selection();
		List<String> excluded = selection.excludePaths();
		boolean allExcluded = !selection.paths().isEmpty() && excluded.containsAll(selection.paths());
		if (allExcluded || excluded.contains("/**")) {
			unused.add(this.names.apply(rule)
					+ " never matches: its exclude-paths contain all of its paths. Correct exclude-paths.");
		}
		if ("false".equals(selection.condition())) {
			unused.add(this.names.apply(rule)
					+ " never matches: its condition is false. Correct the condition, or set enabled to false.");
		}
	}

	/**
	 * Finds rules that reject no request because every request costs 0 permits. A rule
	 * that only application code uses is omitted, because the code sets the cost.
	 * @param compiled the rules in force and their variants: an annotation may set
	 * another cost
	 * @return full sentences for each rule
	 */
	List<String> free(Collection<CompiledRule> compiled) {
		Map<String, Boolean> free = new LinkedHashMap<>();
		for (CompiledRule rule : compiled) {
			if (isApplied(rule.rule())) {
				boolean rejectsNone = rule.isFree() && !mayDenyAnonymous(rule.rule());
				free.merge(this.names.apply(rule.rule()), rejectsNone, Boolean::logicalAnd);
			}
		}
		return free.entrySet()
			.stream()
			.filter(Map.Entry::getValue)
			.map((rule) -> rule.getKey() + " rejects no request: its cost is 0. Set cost to 1 or more.")
			.toList();
	}

	/**
	 * Whether the rule rejects callers that lack a part of its key, whatever the cost.
	 */
	private static boolean mayDenyAnonymous(Rule rule) {
		Scope scope = rule.scope();
		return scope.anonymous() == AnonymousPolicy.DENY && !rule.isShadow()
				&& (scope.key() != null || !Set.of(Scope.IP, Scope.ENDPOINT).containsAll(scope.names()));
	}

	/** Whether requests or annotated methods are checked against the rule. */
	private boolean isApplied(Rule rule) {
		return rule.selection().appliesTo() == AppliesTo.REQUESTS || this.named.contains(rule.id());
	}

	/**
	 * Whether rules that are not in shadow mode have a max-wait.
	 * @param compiled the rules in force and their variants
	 */
	static boolean anyWaits(Collection<CompiledRule> compiled) {
		return compiled.stream()
			.map(CompiledRule::rule)
			.anyMatch((rule) -> !rule.isShadow() && !rule.reservations().maxWait().isZero());
	}

}
