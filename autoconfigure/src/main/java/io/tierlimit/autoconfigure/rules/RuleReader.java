package io.tierlimit.autoconfigure.rules;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import io.tierlimit.RuleDefinition;
import io.tierlimit.key.CallerExpression;
import io.tierlimit.key.ExpressionException;
import io.tierlimit.limit.BanPolicy;
import io.tierlimit.rule.AdaptivePolicy;
import io.tierlimit.rule.ChargePolicy;
import io.tierlimit.rule.ReservationOptions;
import io.tierlimit.rule.RolloutOptions;
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
 * Reads one rule and collects its problems.
 */
final class RuleReader {

	private static final boolean PATTERNS = ClassUtils.isPresent("org.springframework.web.util.pattern.PathPattern",
			RuleReader.class.getClassLoader());

	private final BeanNames beans;

	private final Map<String, ResolvableType> arguments;

	private final RuleProblems problems;

	/**
	 * Creates a reader.
	 * @param beans the beans that rules can refer to
	 * @param arguments the arguments of a method, which key and cost may read: their
	 * types by their names
	 * @param problems collects the problems
	 */
	RuleReader(BeanNames beans, Map<String, ResolvableType> arguments, RuleProblems problems) {
		this.beans = beans;
		this.arguments = arguments;
		this.problems = problems;
	}

	/** Reads the rule; returns {@code null} if it is not valid. */
	@Nullable Rule read(RuleDefinition rule) {
		Scope scope = scope(rule);
		RuleLimits limits = new LimitReader(rule, this.problems).read();
		Selection selection = selection(rule);
		checkCondition(RuleTexts.text(rule.condition()));
		boolean hasKey = checkKey(RuleTexts.text(rule.key()));
		String cost = Objects.requireNonNullElse(RuleTexts.text(rule.cost()), "1");
		ReservationOptions reservations = new ReservationReader(this.problems).read(rule.maxReserved(), rule.maxWait(),
				limits);
		new CostReader(this.problems, this.arguments).check(cost, limits, reservations);
		ChargePolicy chargePolicy = new ChargePolicyReader(this.problems).read(rule.charge(), rule.resetOn());
		BanPolicy ban = new BanReader(rule, this.problems).read(cost, hasKey);
		RuleLimits candidate = new CandidateReader(rule, this.problems).read(limits, reservations);
		RolloutOptions rollout = new RolloutReader(rule, this.problems).read(hasKey).candidate(candidate);
		AdaptivePolicy adaptive = new AdaptiveReader(rule, this.beans, this.problems).read(limits, hasKey);
		if (scope == null || limits == null || chargePolicy == null) {
			return null;
		}
		RuleOptions options = new RuleOptions(rule.mode(), rule.headers(),
				new StoreOptions(rule.onStoreFailure(), rule.cacheRejections()), reservations, chargePolicy, ban,
				rollout, adaptive);
		Rule read = this.problems.attempt("", () -> new Rule(rule.id(), selection, scope, limits, cost, options));
		return (read == null || this.problems.attempt("candidate", () -> withCandidate(read)) == null) ? null : read;
	}

	/** Creates the candidate, whose id may be too long. */
	private static Rule withCandidate(Rule rule) {
		return Objects.requireNonNullElse(rule.candidate(), rule);
	}

	private @Nullable Scope scope(RuleDefinition rule) {
		List<String> names = rule.scope().isEmpty() ? List.of(Scope.GLOBAL) : rule.scope();
		for (int i = 0; i < names.size(); i++) {
			String name = names.get(i);
			if (!Scope.BUILT_IN.contains(name) && !this.beans.keyResolvers().contains(name)) {
				this.problems.add(
						"scope '" + name + "' does not exist. The built-in scopes are "
								+ String.join(", ", Scope.BUILT_IN) + "; the KeyResolver beans are "
								+ this.beans.keyResolvers(),
						"Correct {}, or define a KeyResolver bean named '" + name + "'", "scope[" + i + "]");
				return null;
			}
		}
		return this.problems.attempt("scope", () -> new Scope(names, RuleTexts.text(rule.key()), rule.anonymous()));
	}

	private Selection selection(RuleDefinition rule) {
		checkPaths("path", "paths", rule.paths());
		checkPaths("excluded path", "exclude-paths", rule.excludePaths());
		Set<String> methods = new LinkedHashSet<>();
		for (int i = 0; i < rule.methods().size(); i++) {
			String method = rule.methods().get(i);
			checkMethod(method, "methods[" + i + "]");
			methods.add(method.toUpperCase(Locale.ROOT));
		}
		return new Selection(rule.appliesTo(), rule.paths(), rule.excludePaths(), methods,
				RuleTexts.text(rule.condition()));
	}

	private void checkMethod(String method, String property) {
		String meant = HttpMethods.meantBy(method.toUpperCase(Locale.ROOT));
		if (!HttpMethods.isToken(method)) {
			this.problems.add("method '" + method + "' is not a valid HTTP method", "Correct", property);
		}
		else if (meant != null) {
			this.problems.add("HTTP does not define the method '" + method + "'", "Replace it with " + meant + " in",
					property);
		}
	}

	private void checkPaths(String name, String property, List<String> paths) {
		for (int i = 0; i < paths.size(); i++) {
			checkPath(name, property + "[" + i + "]", paths.get(i));
		}
	}

	private void checkPath(String name, String property, String path) {
		try {
			if (PATTERNS) {
				PathPatterns.parse(path);
			}
			String mistake = InvalidPaths.find(path);
			if (mistake != null) {
				this.problems.add(name + " '" + path + "' " + mistake, "Correct", property);
			}
		}
		catch (IllegalArgumentException ex) {
			this.problems.add(name + " '" + path + "' is not a valid path pattern: " + ex.getMessage(), "Correct",
					property);
		}
	}

	private void checkCondition(@Nullable String text) {
		CallerExpression condition = (text != null)
				? this.problems.attempt("condition", () -> CallerExpression.parseCondition(text)) : null;
		if (condition != null && condition.isConstant() && !isBoolean(condition)) {
			this.problems.add("condition '" + text + "' must be true or false", "Correct", "condition");
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

	/** Whether the key has an expression whose value may differ. */
	private boolean checkKey(@Nullable String text) {
		CallerExpression key = (text != null) ? this.problems.expression("key",
				() -> CallerExpression.parse(text, this.arguments.keySet()), this.arguments) : null;
		if (key != null && key.isConstant()) {
			this.problems.warn("key '" + text + "' is a constant, so all callers share one bucket", "Correct or remove",
					"key");
		}
		return text != null && (key == null || !key.isConstant());
	}

}
