package io.tierlimit.option.candidate;

import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.tierlimit.limit.FixedWindow;
import io.tierlimit.limit.Limit;
import io.tierlimit.option.OptionReader;
import io.tierlimit.option.RuleContext;
import io.tierlimit.rule.PlanLimit;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.RuleLimits;
import io.tierlimit.rule.reader.LimitReader;
import io.tierlimit.rule.reader.Problems;
import io.tierlimit.rule.reader.PropertyReader;
import io.tierlimit.rule.reader.RuleProblems;
import org.jspecify.annotations.Nullable;

/**
 * Reads the limits of the candidate of a rule.
 */
public final class CandidateReader implements OptionReader {

	private static final String GROUP = "candidate";

	@Override
	public List<String> properties() {
		return LimitReader.PROPERTIES.stream().map((property) -> GROUP + "." + property).toList();
	}

	@Override
	public @Nullable CandidateLimits read(PropertyReader properties, RuleContext rule) {
		PropertyReader candidate = properties.group(GROUP);
		RuleLimits limits = rule.limits();
		if (candidate == null || limits == null) {
			return null;
		}
		properties.problems().attempt(GROUP, () -> Rule.checkId(CandidateLimits.idOf(rule.id())));
		for (String plan : candidate.keys("plans")) {
			checkPlan(plan, candidate, limits);
		}
		RuleLimits read = limits(candidate, limits);
		if (read == null) {
			return null;
		}
		try {
			rule.options().check(read);
		}
		catch (IllegalArgumentException ex) {
			candidate.problems().add(String.valueOf(ex.getMessage()), "Set another algorithm, or remove", "algorithm");
			return null;
		}
		Map<String, PlanLimit> plans = new LinkedHashMap<>(limits.plans());
		plans.putAll(read.plans());
		return new CandidateLimits(new RuleLimits(read.standard(), plans));
	}

	/** A candidate without a limit of its own has the limit of the rule. */
	private static @Nullable RuleLimits limits(PropertyReader candidate, RuleLimits limits) {
		boolean plansOnly = candidate.keys("plans").iterator().hasNext()
				&& Stream.of("rate", "burst", "algorithm", "window.start", "unlimited").noneMatch(candidate::hasValue);
		if (!plansOnly) {
			return new LimitReader(candidate, limits.standard().algorithm()).read();
		}
		Limit standard = limits.standard();
		Duration windowStart = (standard instanceof FixedWindow window) ? window.start() : null;
		return new RuleLimits(standard, new LimitReader(candidate, standard.algorithm(), windowStart).plans());
	}

	private static void checkPlan(String plan, PropertyReader candidate, RuleLimits limits) {
		boolean unlimited = candidate.valueOr("plans." + plan + ".unlimited", false);
		String property = "plans." + plan + (unlimited ? ".unlimited" : ".rate");
		PlanLimit listed = limits.plans().get(plan);
		RuleProblems problems = candidate.problems();
		if (listed == null) {
			problems.add("the rule does not list the plan, so it has no limit to compare",
					"List the plan in the rule, or remove", property);
		}
		else if (listed.limit() == null && !unlimited) {
			problems.add("the plan is unlimited in the rule, so it has no limit to compare",
					"Use a rule with mode shadow instead, or remove", property);
		}
	}

	/** Reports rules that have the id of a candidate. */
	@Override
	public void check(Collection<Rule> rules, Problems problems) {
		Set<String> ids = rules.stream().map(Rule::id).collect(Collectors.toSet());
		for (Rule rule : rules) {
			String candidate = CandidateLimits.idOf(rule.id());
			if (rule.options().find(CandidateLimits.class) != null && ids.contains(candidate)) {
				problems.add("Rule '" + rule.id() + "': its candidate has the id '" + candidate
						+ "', which is the id of another rule. Rename that rule, or remove the candidate.");
			}
		}
	}

}
