package io.tierlimit.option.plan;

import java.util.HashMap;
import java.util.Map;

import io.tierlimit.option.ChargeFacts;
import io.tierlimit.option.RuleOption;
import io.tierlimit.option.RuleOptionFactory;
import io.tierlimit.option.Terms;
import io.tierlimit.rule.PlanLimit;

/**
 * The limits of the plans that a rule lists.
 */
public final class PlanLimits implements RuleOption {

	private final Map<String, Terms> plans = new HashMap<>();

	private PlanLimits(Map<String, PlanLimit> plans) {
		plans.forEach((plan, listed) -> this.plans.put(plan, Terms.of(listed.limit())));
	}

	/**
	 * Creates the plan limits of rules.
	 * @return the factory
	 */
	public static RuleOptionFactory factory() {
		return (rules) -> (rule, key) -> rule.limits().plans().isEmpty() ? null : new PlanLimits(rule.limits().plans());
	}

	@Override
	public Terms terms(Terms terms, ChargeFacts facts) {
		String plan = facts.plan();
		return (plan != null) ? this.plans.getOrDefault(plan, terms) : terms;
	}

}
