package io.tierlimit.evaluation;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

import io.tierlimit.rule.RuleLimits;
import io.tierlimit.spi.Caller;
import org.jspecify.annotations.Nullable;

/**
 * The facts of a caller by which an operator searches for buckets.
 */
record CallerQuery(@Nullable String user, @Nullable String ip, @Nullable String plan) implements Caller {

	CallerQuery withPlan(@Nullable String other) {
		return new CallerQuery(this.user, this.ip, other);
	}

	/**
	 * The plans that a query selects under a rule; {@code null} means callers without a
	 * plan. A query without a plan selects all plans that the rule lists. It also selects
	 * callers without a plan, unless they use the bucket of the default plan.
	 */
	static List<@Nullable String> plansOf(CompiledRule rule, @Nullable String plan) {
		RuleLimits limits = rule.rule().limits();
		List<@Nullable String> selected = new ArrayList<>();
		if (plan == null) {
			selected.addAll(new TreeSet<>(limits.plans().keySet()));
		}
		if (plan != null || limits.defaultPlan() == null) {
			selected.add(rule.dependsOnPlan() ? plan : null);
		}
		return selected;
	}

}
