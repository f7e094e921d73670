package io.tierlimit.evaluation;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.tierlimit.limit.Algorithm;
import io.tierlimit.limit.Limit;
import io.tierlimit.rule.KebabCase;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.RuleLimits;
import io.tierlimit.rule.Scope;
import org.jspecify.annotations.Nullable;

/**
 * Describes a rule in one line for people: who shares a bucket, which limits apply, when
 * requests are checked, and whether they are rejected.
 *
 * @param stages whether requests are checked both before and after authentication
 */
public record RuleSummary(boolean stages) {

	private static final Map<String, String> CALLERS = Map.of(Scope.USER, "user", Scope.IP, "address", Scope.ENDPOINT,
			"endpoint", Scope.PLAN, "plan");

	private static final Pattern HUMP = Pattern.compile("[A-Z]");

	/**
	 * Describes a rule.
	 * @param compiled the rule
	 * @param rules the rule set, which contains the variants of the rule
	 * @return a line without a full stop, such as {@code 10/s for each user; plan 'pro':
	 * 100/s, burst 200; after authentication; enforced}
	 */
	public String of(CompiledRule compiled, CompiledRules rules) {
		Rule rule = compiled.rule();
		RuleLimits limits = rule.limits();
		boolean shared = isShared(rule);
		StringBuilder summary = new StringBuilder(limit(limits.standard()));
		summary.append(" for ").append(callers(rule)).append(shared ? " together" : "");
		if (isVariedByKey(rule, rules)) {
			summary.append(", or for each value of the key of an annotation");
		}
		new TreeMap<>(limits.plans()).forEach((plan, limit) -> {
			if (!plan.equals(limits.defaultPlan())) {
				summary.append("; plan '").append(plan).append("': ").append(limit(limit.limit()));
				summary.append((shared && limit.limit() != null) ? " for all its callers together" : "");
			}
		});
		if (!rule.appliesToRequests()) {
			summary.append("; only for code that names it");
		}
		else if (this.stages) {
			summary.append(Stage.BEFORE_AUTHENTICATION.decides(compiled) ? "; before authentication"
					: "; after authentication");
		}
		summary.append("; ").append(rule.isShadow() ? "shadow mode" : "enforced");
		List<String> options = options(compiled);
		return (options.isEmpty() ? summary : summary.append("; with ").append(String.join(", ", options))).toString();
	}

	private static String limit(@Nullable Limit limit) {
		if (limit == null) {
			return "unlimited";
		}
		if (limit.algorithm().holdsPermits()) {
			return limit.capacity() + " in use";
		}
		String burst = (limit.algorithm().hasBurst() && limit.capacity() != limit.rate().permits())
				? ", burst " + limit.capacity() : "";
		String algorithm = (limit.algorithm() != Algorithm.TOKEN_BUCKET) ? " (" + KebabCase.of(limit.algorithm()) + ")"
				: "";
		return limit.rate() + burst + algorithm;
	}

	/** Whether all callers share a bucket, or all callers on one plan. */
	private static boolean isShared(Rule rule) {
		return partsOf(rule).isEmpty() && rule.scope().key() == null;
	}

	/** The parts of a key, except for the plan if the rule lists plans. */
	private static List<String> partsOf(Rule rule) {
		boolean listsPlans = !rule.limits().plans().isEmpty();
		return rule.scope().names().stream().filter((name) -> !listsPlans || !name.equals(Scope.PLAN)).toList();
	}

	private static String callers(Rule rule) {
		String parts = Stream
			.concat(partsOf(rule).stream().map((name) -> CALLERS.getOrDefault(name, "'" + name + "'")),
					Stream.ofNullable((rule.scope().key() != null) ? "value of its key" : null))
			.collect(Collectors.joining(" and "));
		String callers = parts.isEmpty() ? "all callers" : "each " + parts;
		String defaultPlan = rule.limits().defaultPlan();
		if (defaultPlan != null) {
			return callers + " on plan '" + defaultPlan + "' or on no listed plan";
		}
		return callers + (rule.limits().plans().isEmpty() ? "" : " on no listed plan");
	}

	/** Whether annotations name the rule and set another key. */
	private static boolean isVariedByKey(Rule rule, CompiledRules rules) {
		return rules.variants()
			.stream()
			.map(CompiledRule::rule)
			.anyMatch((variant) -> variant.id().equals(rule.id()) && !variant.scope().equals(rule.scope()));
	}

	private static List<String> options(CompiledRule compiled) {
		Map<String, Object> options = new LinkedHashMap<>();
		compiled.options().describe(options);
		return options.keySet()
			.stream()
			.map((name) -> HUMP.matcher(name).replaceAll("-$0").toLowerCase(Locale.ROOT))
			.toList();
	}

}
