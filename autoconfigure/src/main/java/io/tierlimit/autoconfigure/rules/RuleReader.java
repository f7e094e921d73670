package io.tierlimit.autoconfigure.rules;

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import io.tierlimit.RuleDefinition;
import io.tierlimit.key.CallerExpression;
import io.tierlimit.key.ExpressionException;
import io.tierlimit.rule.ChargePolicy;
import io.tierlimit.rule.ReservationOptions;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.RuleLimits;
import io.tierlimit.rule.RuleOptions;
import io.tierlimit.rule.Scope;
import io.tierlimit.rule.Selection;
import io.tierlimit.rule.StoreOptions;
import io.tierlimit.spi.Caller;
import io.tierlimit.spi.InvalidFactException;
import io.tierlimit.web.PathPatterns;
import org.jspecify.annotations.Nullable;

import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;

/**
 * Reads one rule and notes all that is wrong with it.
 */
final class RuleReader {

	private static final boolean PATTERNS = ClassUtils.isPresent("org.springframework.web.util.pattern.PathPattern",
			RuleReader.class.getClassLoader());

	private final Collection<String> keyResolvers;

	private final Map<String, ResolvableType> arguments;

	private final RuleProblems problems;

	/**
	 * Creates a reader.
	 * @param keyResolvers the scopes that there are beside the built-in ones
	 * @param arguments what key and cost may read of a method's arguments: their types by
	 * their names
	 * @param problems where mistakes are noted
	 */
	RuleReader(Collection<String> keyResolvers, Map<String, ResolvableType> arguments, RuleProblems problems) {
		this.keyResolvers = keyResolvers;
		this.arguments = arguments;
		this.problems = problems;
	}

	/** The rule; {@code null} if something is wrong. */
	@Nullable Rule read(RuleDefinition rule) {
		Scope scope = scope(rule);
		RuleLimits limits = new LimitReader(rule, this.problems).read();
		Selection selection = selection(rule);
		checkCondition(RuleTexts.text(rule.condition()));
		checkKey(RuleTexts.text(rule.key()));
		String cost = Objects.requireNonNullElse(RuleTexts.text(rule.cost()), "1");
		ReservationOptions reservations = new ReservationReader(this.problems).read(rule.maxReserved(), rule.maxWait(),
				limits);
		new CostReader(this.problems, this.arguments).check(cost, limits, reservations);
		ChargePolicy chargePolicy = new ChargePolicyReader(this.problems).read(rule.charge(), rule.resetOn());
		if (scope == null || limits == null || chargePolicy == null) {
			return null;
		}
		RuleOptions options = new RuleOptions(rule.mode(), rule.headers(),
				new StoreOptions(rule.onStoreFailure(), rule.cacheRejections()), reservations, chargePolicy);
		return this.problems.attempt("", () -> new Rule(rule.id(), selection, scope, limits, cost, options));
	}

	private @Nullable Scope scope(RuleDefinition rule) {
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
		return this.problems.attempt("scope", () -> new Scope(names, RuleTexts.text(rule.key()), rule.anonymous()));
	}

	private Selection selection(RuleDefinition rule) {
		rule.paths().forEach((path) -> checkPath("paths", path));
		rule.excludePaths().forEach((path) -> checkPath("exclude-paths", path));
		Set<String> methods = new LinkedHashSet<>();
		rule.methods().forEach((method) -> {
			checkMethod(method);
			methods.add(method.toUpperCase(Locale.ROOT));
		});
		return new Selection(rule.appliesTo(), rule.paths(), rule.excludePaths(), methods,
				RuleTexts.text(rule.condition()));
	}

	private void checkMethod(String method) {
		String meant = HttpMethods.meantBy(method.toUpperCase(Locale.ROOT));
		if (!HttpMethods.isToken(method)) {
			this.problems.add("has '" + method + "' among its methods, which is not an HTTP method", "Correct",
					"methods");
		}
		else if (meant != null) {
			this.problems.add("has '" + method + "' among its methods, which HTTP does not define",
					"Write " + meant + " in", "methods");
		}
	}

	private void checkPath(String property, String path) {
		try {
			if (PATTERNS) {
				PathPatterns.parse(path);
			}
			String mistake = InvalidPaths.find(path);
			if (mistake != null) {
				this.problems.add("has '" + path + "' among its " + property + ", which " + mistake, "Correct",
						property);
			}
		}
		catch (IllegalArgumentException ex) {
			this.problems.add(
					"has '" + path + "' among its " + property + ", which is no path pattern: " + ex.getMessage(),
					"Correct", property);
		}
	}

	private void checkCondition(@Nullable String text) {
		CallerExpression condition = (text != null)
				? this.problems.attempt("condition", () -> CallerExpression.parseCondition(text)) : null;
		if (condition != null && condition.isConstant() && !isBoolean(condition)) {
			this.problems.add("has condition '" + text + "', which is not true or false", "Correct", "condition");
		}
	}

	private static boolean isBoolean(CallerExpression constant) {
		try {
			return constant.evaluate(Caller.UNKNOWN) instanceof Boolean;
		}
		catch (ExpressionException | InvalidFactException ex) {
			return false;
		}
	}

	private void checkKey(@Nullable String text) {
		CallerExpression key = (text != null) ? this.problems.expression("key",
				() -> CallerExpression.parse(text, this.arguments.keySet()), this.arguments) : null;
		if (key != null && key.isConstant()) {
			this.problems.warn("has key '" + text + "', which is the same for all callers", "Correct or remove", "key");
		}
	}

}
