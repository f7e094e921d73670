package io.tierlimit.autoconfigure;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import io.tierlimit.autoconfigure.RuleProperties.PlanProperties;
import io.tierlimit.key.CallerExpression;
import io.tierlimit.limit.Limit;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.rule.Limits;
import io.tierlimit.rule.PlanLimit;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.Scope;
import io.tierlimit.rule.Selection;
import io.tierlimit.rule.StorePolicy;
import io.tierlimit.web.PathPatterns;

import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/**
 * Reads one rule and notes all that is wrong with it.
 */
final class RuleReader {

	private static final boolean PATTERNS = ClassUtils.isPresent("org.springframework.web.util.pattern.PathPattern",
			RuleReader.class.getClassLoader());

	private final Collection<String> keyResolvers;

	private final Collection<String> arguments;

	private final RuleProblems problems;

	/**
	 * Creates a reader.
	 * @param keyResolvers the scopes that there are beside the built-in ones
	 * @param arguments what key and cost may name of a method's arguments
	 * @param problems where mistakes are noted
	 */
	RuleReader(Collection<String> keyResolvers, Collection<String> arguments, RuleProblems problems) {
		this.keyResolvers = keyResolvers;
		this.arguments = arguments;
		this.problems = problems;
	}

	/** The rule; {@code null} if something is wrong. */
	@Nullable Rule read(String id, RuleProperties rule) {
		Scope scope = scope(rule);
		Limits limits = limits(rule);
		Selection selection = selection(rule);
		checkExpression("condition", text(rule.condition()), List.of());
		checkExpression("key", text(rule.key()), this.arguments);
		String cost = Objects.requireNonNullElse(text(rule.cost()), "1");
		new CostReader(this.problems, this.arguments).check(cost, limits);
		if (scope == null || limits == null) {
			return null;
		}
		return this.problems.attempt("", () -> new Rule(id, selection, scope, limits, cost, rule.mode(), rule.headers(),
				new StorePolicy(rule.onStoreFailure(), rule.rememberRefusals())));
	}

	private @Nullable Scope scope(RuleProperties rule) {
		List<String> names = rule.scope().isEmpty() ? List.of(Scope.GLOBAL) : rule.scope();
		for (String name : names) {
			if (!Scope.BUILT_IN.contains(name) && !this.keyResolvers.contains(name)) {
				this.problems.add(
						"has scope '" + name + "', but known scopes are " + String.join(", ", Scope.BUILT_IN)
								+ " and the KeyResolver beans " + this.keyResolvers,
						"Define a KeyResolver bean named '" + name + "' or correct", "scope");
				return null;
			}
		}
		return this.problems.attempt("scope", () -> new Scope(names, text(rule.key()), rule.anonymous()));
	}

	private @Nullable Limits limits(RuleProperties rule) {
		Limit standard = limit("", rule.rate(), rule.burst());
		Map<String, PlanLimit> plans = new LinkedHashMap<>();
		RuleSetReader.spelledOnce(rule.plans()).forEach((plan, limits) -> {
			PlanLimit limit = planLimit("plans." + plan + ".", limits);
			if (limit != null) {
				plans.put(plan, limit);
			}
		});
		return (standard != null) ? new Limits(standard, plans) : null;
	}

	private @Nullable PlanLimit planLimit(String prefix, PlanProperties plan) {
		if (!plan.unlimited()) {
			Limit limit = limit(prefix, plan.rate(), plan.burst());
			return (limit != null) ? new PlanLimit(limit) : null;
		}
		if (text(plan.rate()) != null || text(plan.burst()) != null) {
			this.problems.add("has a plan with both a limit and none at all", "Remove the limit or",
					prefix + "unlimited");
		}
		return PlanLimit.UNLIMITED;
	}

	private @Nullable Limit limit(String prefix, @Nullable String rate, @Nullable String burst) {
		String rateText = text(rate);
		String burstText = text(burst);
		if (rateText == null) {
			this.problems.add("has a limit without a rate", "Write permits per period, such as 10/s, as",
					prefix + "rate");
			return null;
		}
		Rate parsed = this.problems.attempt(prefix + "rate", () -> Rate.parse(rateText));
		if (parsed == null) {
			return null;
		}
		return this.problems.attempt(prefix + "burst",
				() -> (burstText != null) ? new TokenBucket(parsed, permits(burstText)) : new TokenBucket(parsed));
	}

	private static long permits(String burst) {
		try {
			return Long.parseLong(burst);
		}
		catch (NumberFormatException ex) {
			throw new IllegalArgumentException("'" + burst + "' is no burst: write a whole number of permits", ex);
		}
	}

	private Selection selection(RuleProperties rule) {
		rule.paths().forEach((path) -> checkPath("paths", path));
		rule.excludePaths().forEach((path) -> checkPath("exclude-paths", path));
		Set<String> methods = new LinkedHashSet<>();
		rule.methods().forEach((method) -> methods.add(method.toUpperCase(Locale.ROOT)));
		return new Selection(rule.appliesTo(), rule.paths(), rule.excludePaths(), methods, text(rule.condition()));
	}

	private void checkPath(String property, String path) {
		try {
			if (PATTERNS) {
				PathPatterns.parse(path);
			}
		}
		catch (IllegalArgumentException ex) {
			this.problems.add(
					"has '" + path + "' among its " + property + ", which is no path pattern: " + ex.getMessage(),
					"Correct", property);
		}
	}

	private void checkExpression(String property, @Nullable String text, Collection<String> names) {
		if (text != null) {
			this.problems.attempt(property, () -> CallerExpression.parse(text, names));
		}
	}

	private static @Nullable String text(@Nullable String value) {
		return (value == null || value.isBlank()) ? null : value.strip();
	}

}
