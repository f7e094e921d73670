package io.tierlimit.evaluation;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.tierlimit.limit.Algorithm;
import io.tierlimit.limit.Limit;
import io.tierlimit.rule.KebabCase;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.Scope;
import org.jspecify.annotations.Nullable;

/**
 * Describes a rule in one line for people: whose bucket, which limits, when requests are
 * checked, and whether they are rejected.
 */
public final class RuleSummary {

	private static final Map<String, String> CALLERS = Map.of(Scope.USER, "user", Scope.IP, "address", Scope.ENDPOINT,
			"endpoint", Scope.PLAN, "plan");

	private static final Pattern HUMP = Pattern.compile("[A-Z]");

	private RuleSummary() {
	}

	/**
	 * Describes a rule.
	 * @param compiled the rule
	 * @return a line without a full stop, such as {@code 10/s for each user; plan 'pro':
	 * 100/s, burst 200; after authentication; enforced}
	 */
	public static String of(CompiledRule compiled) {
		Rule rule = compiled.rule();
		StringBuilder summary = new StringBuilder(limit(rule.limits().standard()));
		summary.append(" for ").append(callers(compiled));
		new TreeMap<>(rule.limits().plans()).forEach(
				(plan, limit) -> summary.append("; plan '").append(plan).append("': ").append(limit(limit.limit())));
		summary.append("; ").append(stage(compiled));
		summary.append("; ").append(rule.isShadow() ? "shadow mode" : "enforced");
		List<String> options = options(compiled);
		return (options.isEmpty() ? summary : summary.append("; with ").append(String.join(", ", options))).toString();
	}

	private static String limit(@Nullable Limit limit) {
		if (limit == null) {
			return "unlimited";
		}
		boolean saves = limit.algorithm() == Algorithm.TOKEN_BUCKET || limit.algorithm() == Algorithm.FIXED_WINDOW;
		String burst = (saves && limit.capacity() != limit.rate().permits()) ? ", burst " + limit.capacity() : "";
		String algorithm = (limit.algorithm() != Algorithm.TOKEN_BUCKET) ? " (" + KebabCase.of(limit.algorithm()) + ")"
				: "";
		return limit.rate() + burst + algorithm;
	}

	private static String callers(CompiledRule compiled) {
		List<String> names = compiled.rule().scope().names();
		String callers = names.stream()
			.map((name) -> CALLERS.getOrDefault(name, "'" + name + "'"))
			.collect(Collectors.joining(" and "));
		if (compiled.rule().scope().key() == null) {
			return names.isEmpty() ? "all callers together" : "each " + callers;
		}
		return "each " + (names.isEmpty() ? "" : callers + " and ") + "value of its key";
	}

	private static String stage(CompiledRule compiled) {
		if (!compiled.rule().appliesToRequests()) {
			return "only for code that names it";
		}
		return Stage.BEFORE_AUTHENTICATION.decides(compiled) ? "before authentication" : "after authentication";
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
