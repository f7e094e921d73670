package io.tierlimit.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import io.tierlimit.limit.Limit;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.rule.AppliesTo;
import io.tierlimit.rule.PlanLimit;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.Selection;

/**
 * Finds what is legal but hardly meant.
 */
final class OddRules {

	private static final Duration LONG = Duration.ofHours(1);

	private OddRules() {
	}

	/**
	 * Finds what is odd.
	 * @param named the ids of rules that annotations name or write
	 * @param limiter whether the application limits by program
	 */
	static List<String> find(List<Rule> rules, Set<String> named, boolean limiter) {
		List<String> odd = new ArrayList<>();
		for (Rule rule : rules) {
			boolean forMethods = rule.selection().appliesTo() == AppliesTo.METHODS;
			findLongBursts(rule, odd);
			findUnreachable(rule, odd);
			if (forMethods && !limiter && !named.contains(rule.id())) {
				odd.add("Rule '" + rule.id() + "' is held nowhere: it applies to methods, no annotation names it, "
						+ "and no bean has a RateLimiter");
			}
		}
		odd.addAll(IdleRules.find(rules));
		return odd;
	}

	private static void findLongBursts(Rule rule, List<String> odd) {
		findLongBurst("Rule '" + rule.id() + "'", rule.limits().standard(), odd);
		rule.limits().plans().forEach((plan, limit) -> findLongBurst(rule, plan, limit, odd));
	}

	private static void findLongBurst(Rule rule, String plan, PlanLimit planLimit, List<String> odd) {
		Limit limit = planLimit.limit();
		if (limit != null) {
			findLongBurst("Plan '" + plan + "' of rule '" + rule.id() + "'", limit, odd);
		}
	}

	/**
	 * A bucket that saves a period's permits takes that period, which is plain to see.
	 */
	private static void findLongBurst(String owner, Limit limit, List<String> odd) {
		long seconds = limit.timeToFull() / 1_000_000;
		if (limit instanceof TokenBucket bucket && bucket.burst() > bucket.rate().permits()
				&& seconds > LONG.toSeconds()) {
			odd.add(owner + " has a burst of " + bucket.burst() + " that takes " + Duration.ofSeconds(seconds)
					+ " to refill");
		}
	}

	private static void findUnreachable(Rule rule, List<String> odd) {
		Selection selection = rule.selection();
		List<String> excluded = selection.excludePaths();
		boolean allExcluded = !selection.paths().isEmpty() && excluded.containsAll(selection.paths());
		if (allExcluded || excluded.contains("/**")) {
			odd.add("Rule '" + rule.id() + "' can never match: its exclude-paths leave nothing of its paths");
		}
		selection.methods()
			.stream()
			.filter((method) -> !HttpMethods.isKnown(method))
			.forEach((method) -> odd.add("Rule '" + rule.id() + "' has '" + method
					+ "' among its methods, which is not a known HTTP method. "
					+ "Correct it unless a server of yours supports it"));
		if ("false".equals(selection.condition())) {
			odd.add("Rule '" + rule.id() + "' can never match: its condition is false");
		}
	}

}
