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
import io.tierlimit.option.schedule.ActiveSchedule;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.Scope;
import io.tierlimit.rule.Selection;

/**
 * Finds valid rules without effect: rules that are not used, that never match a request,
 * or that never reject a request. Rules that may be intentional are not reported.
 */
final class RulesWithoutEffect {

	private final Set<String> annotatedRules;

	private final boolean usesRateLimiter;

	private final Function<Rule, String> names;

	/**
	 * Creates a finder.
	 * @param annotatedRules the ids of rules that annotations name or define
	 * @param usesRateLimiter whether a bean depends on a RateLimiter
	 * @param names returns the name of a rule in messages
	 */
	RulesWithoutEffect(Set<String> annotatedRules, boolean usesRateLimiter, Function<Rule, String> names) {
		this.annotatedRules = annotatedRules;
		this.usesRateLimiter = usesRateLimiter;
		this.names = names;
	}

	/**
	 * Finds rules that are not used, or that never match.
	 * @param rules the rules in force
	 * @return one warning for each problem, in full sentences
	 */
	List<String> unused(List<Rule> rules) {
		List<String> warnings = new ArrayList<>();
		for (Rule rule : rules) {
			findUnreachable(rule, warnings);
			if (!this.usesRateLimiter && !isApplied(rule)) {
				warnings
					.add(this.names.apply(rule) + " is not used: it applies to methods, but no annotation names it, "
							+ "and no bean uses a RateLimiter. Name it in @RateLimited, or remove it.");
			}
		}
		return warnings;
	}

	private void findUnreachable(Rule rule, List<String> warnings) {
		Selection selection = rule.selection();
		List<String> excluded = selection.excludePaths();
		boolean allExcluded = !selection.paths().isEmpty() && excluded.containsAll(selection.paths());
		if (allExcluded || excluded.contains("/**")) {
			warnings.add(this.names.apply(rule)
					+ " never matches: its exclude-paths contain all of its paths. Correct exclude-paths.");
		}
		if ("false".equals(selection.condition())) {
			warnings.add(this.names.apply(rule)
					+ " never matches: its condition is false. Correct the condition, or set enabled to false.");
		}
	}

	/**
	 * Finds rules that skip each request without a user.
	 * @param rules the rules for requests of an application without Spring Security
	 * @return one warning for each rule, in full sentences
	 */
	List<String> withoutUsers(List<Rule> rules) {
		return rules.stream()
			.filter((rule) -> rule.scope().anonymous() == AnonymousPolicy.SKIP
					&& rule.scope().names().contains(Scope.USER))
			.map((rule) -> this.names.apply(rule)
					+ " never applies to a request without a user: its scope contains the user, anonymous is skip, and "
					+ "there is no Spring Security. Unless a filter or the server authenticates users, add Spring "
					+ "Security, or set anonymous to ip.")
			.toList();
	}

	/**
	 * Finds rules whose active times have ended.
	 * @param compiled the rules in force
	 * @return one warning for each rule, in full sentences
	 */
	List<String> over(Collection<CompiledRule> compiled) {
		return compiled.stream()
			.filter(RulesWithoutEffect::isOver)
			.map((rule) -> this.names.apply(rule.rule()) + " never applies again: its active times have ended. Correct "
					+ "active.ranges, or remove the rule.")
			.toList();
	}

	private static boolean isOver(CompiledRule rule) {
		ActiveSchedule schedule = rule.options().find(ActiveSchedule.class);
		return schedule != null && schedule.isOver();
	}

	/**
	 * Finds rules that reject no request because every request costs 0 permits. A rule
	 * that only application code uses is omitted, because the code sets the cost.
	 * @param compiled the rules in force and their variants: an annotation may set
	 * another cost
	 * @return one warning for each problem, in full sentences
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
			.map((entry) -> entry.getKey() + " rejects no request: its cost is 0. Set cost to 1 or more.")
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
		return rule.selection().appliesTo() == AppliesTo.REQUESTS || this.annotatedRules.contains(rule.id());
	}

	/**
	 * Whether rules that are not in shadow mode have a max-wait.
	 * @param compiled the rules in force and their variants
	 */
	static boolean anyWaits(Collection<CompiledRule> compiled) {
		return compiled.stream()
			.map(CompiledRule::rule)
			.anyMatch((rule) -> !rule.isShadow() && rule.options().overdraft().ticks() > 0);
	}

}
