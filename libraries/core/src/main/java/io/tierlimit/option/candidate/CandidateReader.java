package io.tierlimit.option.candidate;

import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.tierlimit.limit.Limit;
import io.tierlimit.option.OptionReader;
import io.tierlimit.option.RuleContext;
import io.tierlimit.rule.PlanLimit;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.RuleLimits;
import io.tierlimit.rule.reader.LimitReader;
import io.tierlimit.rule.reader.Problems;
import io.tierlimit.rule.reader.PropertyReader;
import io.tierlimit.rule.reader.PropertyText;
import io.tierlimit.rule.reader.RuleProblems;
import org.jspecify.annotations.Nullable;

/**
 * Reads the limits of the candidate of a rule.
 */
public final class CandidateReader implements OptionReader {

	private static final String GROUP = "candidate";

	/** The properties of the limit for callers without a listed plan. */
	private static final List<String> OWN = List.of("rate", "burst", "limit", "unlimited");

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
		String defaultPlan = limits.defaultPlan();
		RuleLimits read = (defaultPlan != null) ? ofPlans(candidate, limits, defaultPlan)
				: withPlansOf(limits, limits(candidate, limits), candidate);
		if (read == null) {
			return null;
		}
		try {
			rule.options().check(read);
		}
		catch (IllegalArgumentException ex) {
			boolean algorithm = candidate.hasValue("algorithm");
			candidate.problems()
				.add(String.valueOf(ex.getMessage()),
						algorithm ? "Set another algorithm, or remove" : "Correct its limits, or remove",
						algorithm ? "algorithm" : "");
			return null;
		}
		return new CandidateLimits(read);
	}

	private static @Nullable RuleLimits withPlansOf(RuleLimits rule, @Nullable RuleLimits read,
			PropertyReader candidate) {
		if (read == null || !hasEachLimit(rule, candidate)) {
			return null;
		}
		return new RuleLimits(read.standard(), merged(rule.plans(), read.plans()));
	}

	/**
	 * Whether the candidate has a valid limit for each plan of the rule. This is required
	 * only if the algorithm of one of them is concurrency, because requests then hold the
	 * permits of one and consume the permits of the other.
	 */
	private static boolean hasEachLimit(RuleLimits rule, PropertyReader candidate) {
		LimitReader reader = planReader(candidate, rule);
		String ofRule = LimitReader.required(rule.standard().algorithm());
		if (reader.required().equals(ofRule)) {
			return true;
		}
		Set<String> listed = new HashSet<>();
		candidate.keys("plans").forEach((plan) -> listed.add(PropertyText.plain(plan)));
		rule.plans().keySet().stream().sorted().forEach((plan) -> {
			if (rule.of(plan) != null && !listed.contains(PropertyText.plain(plan))) {
				candidate.problems()
					.add("the plan has no " + reader.required() + ", and the " + ofRule
							+ " of the rule cannot replace it", "Set {} to " + reader.requiredValue(),
							"plans." + plan + "." + reader.required());
			}
		});
		return !candidate.problems().hasAny();
	}

	/** Adds the plans that only the rule lists. */
	private static Map<String, PlanLimit> merged(Map<String, PlanLimit> ofRule, Map<String, PlanLimit> read) {
		Map<String, PlanLimit> plans = new LinkedHashMap<>(ofRule);
		plans.putAll(read);
		return plans;
	}

	/**
	 * Reads the limits of a candidate. If it has only plans, its own limit is the limit
	 * of the rule.
	 */
	private static @Nullable RuleLimits limits(PropertyReader candidate, RuleLimits limits) {
		boolean plansOnly = candidate.keys("plans").iterator().hasNext() && OWN.stream().noneMatch(candidate::hasValue)
				&& !hasAlgorithm(candidate);
		return plansOnly ? new RuleLimits(limits.standard(), planReader(candidate, limits).plans())
				: new LimitReader(candidate, limits.standard().algorithm()).read();
	}

	/**
	 * Reads the limits of a candidate of a rule without its own limit. Such a candidate
	 * cannot have its own limit either.
	 */
	private static @Nullable RuleLimits ofPlans(PropertyReader candidate, RuleLimits limits, String defaultPlan) {
		RuleProblems problems = candidate.problems();
		for (String property : OWN) {
			if (candidate.hasValue(property)) {
				problems.add(property + " is set, but the rule has no "
						+ LimitReader.required(limits.standard().algorithm()) + " of its own to compare",
						"Set it for plans of the candidate, or remove", property);
			}
		}
		LimitReader reader = planReader(candidate, limits);
		if (!candidate.keys("plans").iterator().hasNext()) {
			problems.add("no plan is listed, so no limit is compared", "Set {} to " + reader.requiredValue(),
					"plans." + defaultPlan + "." + reader.required());
			return null;
		}
		Map<String, PlanLimit> plans = reader.plans();
		if (!hasEachLimit(limits, candidate)) {
			return null;
		}
		RuleLimits read = RuleLimits.ofPlans(merged(limits.plans(), plans), defaultPlan);
		if (read == null) {
			problems.add("the default plan of the rule cannot be unlimited",
					"Set a " + reader.required() + " instead of", "plans." + defaultPlan + ".unlimited");
		}
		return problems.hasAny() ? null : read;
	}

	private static LimitReader planReader(PropertyReader candidate, RuleLimits limits) {
		Limit standard = limits.standard();
		return hasAlgorithm(candidate) ? new LimitReader(candidate, standard.algorithm())
				: new LimitReader(candidate, standard);
	}

	private static boolean hasAlgorithm(PropertyReader candidate) {
		return Stream.of("algorithm", "window.start", "max-duration", "retry-after-hint").anyMatch(candidate::hasValue);
	}

	private static void checkPlan(String plan, PropertyReader candidate, RuleLimits limits) {
		boolean unlimited = candidate.valueOr("plans." + plan + ".unlimited", false);
		String property = "plans." + plan + "." + (unlimited ? "unlimited" : planReader(candidate, limits).required());
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
