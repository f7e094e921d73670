package io.tierlimit.autoconfigure;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

import io.tierlimit.autoconfigure.RuleProperties.PlanProperties;
import io.tierlimit.key.CallerExpression;
import io.tierlimit.limit.Limit;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.rule.InvalidRulesException;
import io.tierlimit.rule.Limits;
import io.tierlimit.rule.PlanLimit;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.RuleSet;
import io.tierlimit.rule.Scope;
import io.tierlimit.rule.Selection;

import org.jspecify.annotations.Nullable;

/**
 * Reads rules from properties and reports all mistakes together.
 */
final class RuleReader {

	private final Collection<String> keyResolvers;

	private final List<String> problems = new ArrayList<>();

	RuleReader(Collection<String> keyResolvers) {
		this.keyResolvers = keyResolvers;
	}

	RuleSet read(Map<String, RuleProperties> properties) {
		List<Rule> rules = new ArrayList<>();
		properties.forEach((id, rule) -> {
			if (rule.enabled()) {
				Rule read = read(id, rule);
				if (read != null) {
					rules.add(read);
				}
			}
		});
		if (!this.problems.isEmpty()) {
			throw new InvalidRulesException(this.problems);
		}
		return new RuleSet(rules);
	}

	private @Nullable Rule read(String id, RuleProperties properties) {
		String prefix = "tierlimit.rules." + id + ".";
		Scope scope = attempt(prefix + "scope",
				() -> new Scope(known(id, properties.scope()), properties.key(), properties.anonymous()));
		Limit standard = limit(prefix, properties.rate(), properties.burst());
		Map<String, PlanLimit> plans = new LinkedHashMap<>();
		properties.plans().forEach((plan, limits) -> {
			PlanLimit limit = planLimit(prefix + "plans." + plan + ".", limits);
			if (limit != null) {
				plans.put(plan, limit);
			}
		});
		checkExpression(prefix + "condition", properties.condition());
		checkExpression(prefix + "key", properties.key());
		if (!properties.cost().chars().allMatch(Character::isDigit)) {
			checkExpression(prefix + "cost", properties.cost());
		}
		if (scope == null || standard == null) {
			return null;
		}
		return attempt("tierlimit.rules." + id, () -> new Rule(id, selection(properties), scope,
				new Limits(standard, plans), properties.cost(), properties.mode(), properties.headers()));
	}

	private List<String> known(String id, List<String> scope) {
		for (String name : scope) {
			if (!Scope.BUILT_IN.contains(name) && !this.keyResolvers.contains(name)) {
				throw new IllegalArgumentException("Rule '" + id + "' has scope '" + name + "', but known scopes are "
						+ String.join(", ", Scope.BUILT_IN) + " and the KeyResolver beans " + this.keyResolvers
						+ ". Define a KeyResolver bean named '" + name + "' or choose a known one");
			}
		}
		return scope;
	}

	private @Nullable Limit limit(String prefix, @Nullable String rate, @Nullable String burst) {
		if (rate == null) {
			this.problems.add("A limit needs a rate, such as 10/s. Set " + prefix + "rate.");
			return null;
		}
		Rate parsed = attempt(prefix + "rate", () -> Rate.parse(rate));
		if (parsed == null) {
			return null;
		}
		return attempt(prefix + "burst",
				() -> (burst != null) ? new TokenBucket(parsed, permits(burst)) : new TokenBucket(parsed));
	}

	private static long permits(String burst) {
		try {
			return Long.parseLong(burst.strip());
		}
		catch (NumberFormatException ex) {
			throw new IllegalArgumentException("'" + burst + "' is no burst: write a whole number of permits", ex);
		}
	}

	private @Nullable PlanLimit planLimit(String prefix, PlanProperties properties) {
		if (properties.unlimited()) {
			if (properties.rate() != null || properties.burst() != null) {
				this.problems.add("A plan has either a rate or is unlimited. Remove one of " + prefix + "rate, "
						+ prefix + "burst and " + prefix + "unlimited.");
			}
			return PlanLimit.UNLIMITED;
		}
		Limit limit = limit(prefix, properties.rate(), properties.burst());
		return (limit != null) ? new PlanLimit(limit) : null;
	}

	private void checkExpression(String property, @Nullable String text) {
		if (text != null) {
			attempt(property, () -> CallerExpression.parse(text));
		}
	}

	private static Selection selection(RuleProperties properties) {
		Set<String> methods = new LinkedHashSet<>();
		properties.methods().forEach((method) -> methods.add(method.toUpperCase(Locale.ROOT)));
		return new Selection(properties.appliesTo(), properties.paths(), properties.excludePaths(), methods,
				properties.condition());
	}

	private <T> @Nullable T attempt(String property, Supplier<T> reading) {
		try {
			return reading.get();
		}
		catch (IllegalArgumentException ex) {
			this.problems.add(ex.getMessage() + ". Correct " + property + ".");
			return null;
		}
	}

}
