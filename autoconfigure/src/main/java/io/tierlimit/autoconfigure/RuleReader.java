package io.tierlimit.autoconfigure;

import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

import io.tierlimit.autoconfigure.RuleProperties.PlanProperties;
import io.tierlimit.key.Caller;
import io.tierlimit.key.CallerExpression;
import io.tierlimit.limit.Limit;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.rule.Anonymous;
import io.tierlimit.rule.AppliesTo;
import io.tierlimit.rule.HeaderVisibility;
import io.tierlimit.rule.Limits;
import io.tierlimit.rule.Mode;
import io.tierlimit.rule.PlanLimit;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.Scope;
import io.tierlimit.rule.Selection;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;

/**
 * Reads one rule and notes all that is wrong with it.
 */
final class RuleReader {

	private static final Caller NOBODY = new Caller() {
	};

	private final String id;

	private final RuleProperties properties;

	private final Collection<String> keyResolvers;

	private final Problems problems;

	RuleReader(String id, RuleProperties properties, Collection<String> keyResolvers, Problems problems) {
		this.id = id;
		this.properties = properties;
		this.keyResolvers = keyResolvers;
		this.problems = problems;
	}

	/** The rule; {@code null} if it is not enabled or something is wrong. */
	@Nullable Rule read() {
		Boolean enabled = bool("enabled", this.properties.enabled(), true);
		if (Boolean.FALSE.equals(enabled)) {
			return null;
		}
		Anonymous anonymous = choice("anonymous", this.properties.anonymous(), Anonymous.IP);
		Scope scope = (anonymous != null) ? scope(anonymous) : null;
		Limits limits = limits();
		AppliesTo appliesTo = choice("applies-to", this.properties.appliesTo(), AppliesTo.REQUESTS);
		Mode mode = choice("mode", this.properties.mode(), Mode.ENFORCE);
		HeaderVisibility headers = choice("headers", this.properties.headers(), HeaderVisibility.SHOWN);
		checkExpression("condition", this.properties.condition());
		checkExpression("key", this.properties.key());
		String cost = cost(limits);
		if (scope == null || limits == null || appliesTo == null || mode == null || headers == null) {
			return null;
		}
		return this.problems.attempt("", name(""),
				() -> new Rule(this.id, selection(appliesTo), scope, limits, cost, mode, headers));
	}

	private @Nullable Scope scope(Anonymous anonymous) {
		List<String> names = this.properties.scope().isEmpty() ? List.of(Scope.GLOBAL) : this.properties.scope();
		for (String name : names) {
			if (!Scope.BUILT_IN.contains(name) && !this.keyResolvers.contains(name)) {
				add("has scope '" + name + "', but known scopes are " + String.join(", ", Scope.BUILT_IN)
						+ " and the KeyResolver beans " + this.keyResolvers,
						"Define a KeyResolver bean named '" + name + "' or correct", "scope");
				return null;
			}
		}
		return attempt("scope", () -> new Scope(names, text(this.properties.key()), anonymous));
	}

	private @Nullable Limits limits() {
		Limit standard = limit("", this.properties.rate(), this.properties.burst());
		Map<String, PlanLimit> plans = new LinkedHashMap<>();
		RuleSetReader.spelledOnce(this.properties.plans()).forEach((plan, limits) -> {
			PlanLimit limit = planLimit("plans." + plan + ".", limits);
			if (limit != null) {
				plans.put(plan, limit);
			}
		});
		return (standard != null) ? new Limits(standard, plans) : null;
	}

	private @Nullable PlanLimit planLimit(String prefix, PlanProperties plan) {
		Boolean unlimited = bool(prefix + "unlimited", plan.unlimited(), false);
		if (!Boolean.TRUE.equals(unlimited)) {
			Limit limit = limit(prefix, plan.rate(), plan.burst());
			return (limit != null) ? new PlanLimit(limit) : null;
		}
		if (text(plan.rate()) != null || text(plan.burst()) != null) {
			add("has a plan with both a limit and none at all", "Remove the limit or", prefix + "unlimited");
		}
		return PlanLimit.UNLIMITED;
	}

	private @Nullable Limit limit(String prefix, @Nullable String rate, @Nullable String burst) {
		String rateText = text(rate);
		String burstText = text(burst);
		if (rateText == null) {
			add("has a limit without a rate", "Write permits per period, such as 10/s, as", prefix + "rate");
			return null;
		}
		Rate parsed = attempt(prefix + "rate", () -> Rate.parse(rateText));
		if (parsed == null) {
			return null;
		}
		return attempt(prefix + "burst",
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

	private String cost(@Nullable Limits limits) {
		String cost = text(this.properties.cost());
		if (cost == null) {
			return "1";
		}
		if (!cost.chars().allMatch((c) -> c >= '0' && c <= '9')) {
			checkCostExpression(cost);
		}
		else if (limits != null) {
			checkFixedCost(cost, limits);
		}
		return cost;
	}

	private void checkCostExpression(String cost) {
		CallerExpression expression = attempt("cost", () -> CallerExpression.parse(cost));
		if (expression != null && expression.isConstant()
				&& !(expression.evaluate(NOBODY) instanceof Integer permits && permits >= 0)) {
			add("has cost '" + cost + "', which is no whole number of 0 or more", "Correct", "cost");
		}
	}

	private void checkFixedCost(String cost, Limits limits) {
		long permits = (cost.length() > 18) ? Long.MAX_VALUE : Long.parseLong(cost);
		if (permits > limits.standard().capacity()) {
			add("has cost " + cost + " above its capacity of " + limits.standard().capacity()
					+ ", so that none can pass", "Lower the cost or raise the burst:", "cost");
		}
		limits.plans().forEach((plan, planLimit) -> {
			Limit limit = planLimit.limit();
			if (limit != null && permits > limit.capacity()) {
				add("has cost " + cost + " above the capacity of " + limit.capacity() + " of its plan '" + plan
						+ "', so that none can pass", "Lower the cost or raise the plan's burst:", "cost");
			}
		});
	}

	private void checkExpression(String property, @Nullable String expression) {
		String text = text(expression);
		if (text != null) {
			attempt(property, () -> CallerExpression.parse(text));
		}
	}

	private Selection selection(AppliesTo appliesTo) {
		Set<String> methods = new LinkedHashSet<>();
		this.properties.methods().forEach((method) -> methods.add(method.toUpperCase(Locale.ROOT)));
		return new Selection(appliesTo, this.properties.paths(), this.properties.excludePaths(), methods,
				text(this.properties.condition()));
	}

	private @Nullable Boolean bool(String property, @Nullable String value, boolean standard) {
		String text = text(value);
		if (text == null) {
			return standard;
		}
		if (!text.equals("true") && !text.equals("false")) {
			add("has " + property + " '" + text + "', but true and false are known", "Correct", property);
			return null;
		}
		return text.equals("true");
	}

	private <E extends Enum<E>> @Nullable E choice(String property, @Nullable String value, E standard) {
		String text = text(value);
		if (text == null) {
			return standard;
		}
		List<E> choices = Arrays.asList(standard.getDeclaringClass().getEnumConstants());
		for (E choice : choices) {
			if (choice.name().equalsIgnoreCase(text)) {
				return choice;
			}
		}
		add("has " + property + " '" + text + "', but known are "
				+ choices.toString().toLowerCase(Locale.ROOT).replaceAll("[\\[\\]]", ""), "Correct", property);
		return null;
	}

	private static @Nullable String text(@Nullable String value) {
		return (value == null || value.isBlank()) ? null : value.strip();
	}

	private <T> @Nullable T attempt(String property, Supplier<T> reading) {
		return this.problems.attempt("Rule '" + this.id + "': ", name(property), reading);
	}

	private void add(String problem, String cure, String property) {
		this.problems.add("Rule '" + this.id + "' " + problem, cure, name(property));
	}

	private ConfigurationPropertyName name(String property) {
		ConfigurationPropertyName rules = ConfigurationPropertyName.of("tierlimit.rules");
		boolean plain = this.id.matches("[A-Za-z0-9-]+");
		ConfigurationPropertyName rule = plain ? rules.append(ConfigurationPropertyName.adapt(this.id, '.'))
				: rules.append("[" + this.id + "]");
		return property.isEmpty() ? rule : rule.append(ConfigurationPropertyName.adapt(property, '.'));
	}

}
