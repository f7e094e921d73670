package io.tierlimit.actuate;

import io.tierlimit.rule.PlanLimit;
import io.tierlimit.rule.Rule;

/**
 * The limit of a plan under a rule.
 *
 * @param scope the scope of the rule, as in {@link RuleDescriptor}
 * @param listed whether the rule lists the plan; otherwise it has the limit of the rule,
 * or of its default plan
 * @param limit the limit
 */
record PlanDescriptor(String scope, boolean listed, LimitDescriptor limit) {

	static PlanDescriptor of(Rule rule, String plan) {
		PlanLimit listed = rule.limits().plans().get(plan);
		return new PlanDescriptor(rule.scope().toString(), listed != null,
				(listed != null) ? LimitDescriptor.of(listed) : LimitDescriptor.of(rule.limits().standard()));
	}

}
