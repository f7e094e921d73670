package io.tierlimit.autoconfigure.rules;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

import io.tierlimit.CandidateDefinition;
import io.tierlimit.LimitDefinition;
import io.tierlimit.RuleDefinition;
import io.tierlimit.rule.PlanLimit;
import io.tierlimit.rule.ReservationOptions;
import io.tierlimit.rule.RuleLimits;
import org.jspecify.annotations.Nullable;

/**
 * Reads the limits of the candidate of a rule, and collects their problems.
 */
final class CandidateReader {

	private final RuleDefinition rule;

	private final RuleProblems problems;

	CandidateReader(RuleDefinition rule, RuleProblems problems) {
		this.rule = rule;
		this.problems = problems.below("candidate");
	}

	/**
	 * Reads the limits.
	 * @param limits the limits of the rule; {@code null} if they are not valid
	 * @param reservations the reservations of the rule
	 * @return the limits; {@code null} if there is no candidate, or if it is not valid
	 */
	@Nullable RuleLimits read(@Nullable RuleLimits limits, ReservationOptions reservations) {
		CandidateDefinition candidate = this.rule.candidate();
		if (candidate == null || limits == null) {
			return null;
		}
		candidate.plans().forEach((plan, limit) -> checkPlan(plan, limit, limits));
		RuleLimits read = new LimitReader(definition(candidate), this.problems).read();
		if (read == null) {
			return null;
		}
		if (!reservations.equals(ReservationOptions.NONE) && !read.areReservable()) {
			this.problems.add("the algorithm does not support max-reserved and max-wait, which the rule has",
					"Set algorithm to token-bucket, leaky-bucket or fixed-window, or remove", "algorithm");
			return null;
		}
		Map<String, PlanLimit> plans = new LinkedHashMap<>(limits.plans());
		plans.putAll(read.plans());
		return new RuleLimits(read.standard(), plans);
	}

	/** The candidate as a rule. Without a limit of its own, it has that of the rule. */
	private RuleDefinition definition(CandidateDefinition candidate) {
		boolean plansOnly = !candidate.plans().isEmpty() && !candidate.limit().hasNumbers()
				&& candidate.algorithm() == null && candidate.start() == null;
		RuleDefinition definition = RuleDefinition.of(this.rule.id())
			.algorithm(Objects.requireNonNullElse(candidate.algorithm(), this.rule.algorithm()))
			.limit((empty) -> plansOnly ? this.rule.limit() : candidate.limit());
		if (candidate.start() != null || (plansOnly && this.rule.start() != null)) {
			definition = definition.start(Objects.requireNonNull(plansOnly ? this.rule.start() : candidate.start()));
		}
		for (Map.Entry<String, LimitDefinition> plan : candidate.plans().entrySet()) {
			definition = definition.plan(plan.getKey(), (empty) -> plan.getValue());
		}
		return definition;
	}

	private void checkPlan(String plan, LimitDefinition limit, RuleLimits limits) {
		String property = "plans." + plan + (limit.isUnlimited() ? ".unlimited" : ".rate");
		PlanLimit listed = limits.plans().get(plan);
		if (listed == null) {
			this.problems.add("the rule does not list the plan, so it has no limit to compare",
					"List the plan in the rule, or remove", property);
		}
		else if (listed.limit() == null && !limit.isUnlimited()) {
			this.problems.add("the plan is unlimited in the rule, so it has no limit to compare",
					"Use a rule with mode shadow instead, or remove", property);
		}
	}

}
