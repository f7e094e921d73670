package io.tierlimit.option;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.tierlimit.AppliesTo;
import io.tierlimit.HeaderVisibility;
import io.tierlimit.MissingKeyPolicy;
import io.tierlimit.RuleMode;
import io.tierlimit.key.CallerExpression;
import io.tierlimit.key.ExpressionUse;
import io.tierlimit.limit.Algorithm;
import io.tierlimit.limit.StoreFailurePolicy;
import io.tierlimit.rule.KebabCase;
import io.tierlimit.rule.OptionValue;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.RuleLimits;
import io.tierlimit.rule.RuleOptions;
import io.tierlimit.rule.Scope;
import io.tierlimit.rule.Selection;
import io.tierlimit.rule.reader.LimitReader;
import io.tierlimit.rule.reader.PropertyReader;
import io.tierlimit.rule.reader.RuleProblems;
import org.jspecify.annotations.Nullable;

/**
 * Reads one rule with its options, and collects its problems.
 *
 * @param id the id of the rule
 * @param properties the properties
 * @param arguments the types of a method's arguments, which the key and the cost may
 * read, by their names
 * @param beans the beans that rules can refer to
 * @param pathMistakes finds the mistake in a path, as the end of a sentence that begins
 * with the path; {@code null} for none
 */
public record RuleReader(String id, PropertyReader properties, Map<String, Class<?>> arguments, BeanNames beans,
		Function<String, @Nullable String> pathMistakes) {

	private static final List<String> BEFORE_LIMITS = List.of("enabled", "applies-to", "scope[]", "paths[]",
			"exclude-paths[]", "methods[]");

	private static final List<String> AFTER_LIMITS = List.of("key", "cost", "headers", "on-missing-key", "mode",
			"on-store-failure");

	/** The algorithm of the rule, or of a group. */
	private static final Pattern ALGORITHM = Pattern.compile("(.*\\.)?algorithm");

	private static final Pattern METHOD = Pattern.compile("[A-Za-z0-9!#$%&'*+.^_`|~-]+");

	/** The methods that HTTP defines. */
	private static final Set<String> METHODS = Set.of("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS",
			"TRACE", "CONNECT");

	private static final Set<String> SHARED = Set.of(Scope.GLOBAL, Scope.ENDPOINT, Scope.PLAN);

	/**
	 * The properties of a rule.
	 * @param options the readers of its options
	 * @return the names, in the order of the documentation
	 */
	public static List<String> properties(List<OptionReader> options) {
		return Stream
			.of(BEFORE_LIMITS, LimitReader.PROPERTIES, AFTER_LIMITS,
					options.stream().flatMap((option) -> option.properties().stream()).toList())
			.flatMap(List::stream)
			.toList();
	}

	/**
	 * Reads a rule that must have its own rate.
	 * @param options the readers of its options
	 * @return the rule; {@code null} if it is not valid: its problems were added
	 */
	public @Nullable Rule read(List<OptionReader> options) {
		return read(options, LimitReader::read);
	}

	/**
	 * Reads a rule that may leave out its own rate if it lists the default plan.
	 * @param options the readers of its options
	 * @param defaultPlan the default plan; {@code null} for none
	 * @return the rule; {@code null} if it is not valid: its problems were added
	 */
	public @Nullable Rule read(List<OptionReader> options, @Nullable String defaultPlan) {
		return read(options, (reader) -> reader.read(defaultPlan));
	}

	private @Nullable Rule read(List<OptionReader> options, Function<LimitReader, @Nullable RuleLimits> reading) {
		AppliesTo appliesTo = this.properties.valueOr("applies-to", AppliesTo.REQUESTS);
		Scope scope = scope();
		RuleLimits limits = reading.apply(new LimitReader(this.properties, Algorithm.TOKEN_BUCKET));
		properties(options).stream().filter((name) -> ALGORITHM.matcher(name).matches()).forEach(this::checkStore);
		Selection selection = selection(appliesTo);
		boolean hasKey = checkKey(this.properties.text("key"));
		boolean shared = !hasKey && SHARED.containsAll(this.properties.list("scope"));
		String cost = Objects.requireNonNullElse(this.properties.text("cost"), "1");
		RuleOptions read = readAll(options, options(),
				new RuleContext(this.id, appliesTo, limits, cost, RuleOptions.STANDARD, shared, this.beans.others()));
		new CostReader(problems(), this.arguments).check(cost, limits, read.overdraft());
		if (scope == null || limits == null) {
			return null;
		}
		RuleOptions all = read;
		return problems().attempt("", () -> new Rule(this.id, selection, scope, limits, cost, all));
	}

	/**
	 * Reads only the options for which a property has a value.
	 * @param options the readers of all options
	 * @param rule the rule that has the other options
	 * @return the options of the rule, with the options that were read
	 */
	public RuleOptions readSet(List<OptionReader> options, Rule rule) {
		List<OptionReader> set = options.stream()
			.filter((option) -> option.properties().stream().anyMatch(this.properties::hasValue))
			.toList();
		return readAll(set, rule.options(), new RuleContext(rule.id(), rule.selection().appliesTo(), rule.limits(),
				rule.cost(), rule.options(), false, this.beans.others()));
	}

	private RuleOptions readAll(List<OptionReader> options, RuleOptions before, RuleContext rule) {
		RuleOptions read = before;
		for (OptionReader option : options) {
			OptionValue value = option.read(this.properties, rule.with(read));
			boolean valid = value != null && isSupported(option, value, rule.limits());
			read = (value != null && valid) ? read.with(value) : read;
		}
		return read;
	}

	/** Reports an algorithm that the store does not support. */
	private void checkStore(String property) {
		Algorithm algorithm = this.properties.value(property, Algorithm.class);
		if (algorithm == null) {
			return;
		}
		String store = this.beans.storesWithout().apply(algorithm);
		if (store != null) {
			problems().add(property + " " + KebabCase.of(algorithm) + " is not supported by the store '" + store + "'",
					"Set another algorithm in {}, or use a store that supports it", property);
		}
	}

	/** Whether an option supports the limits of the rule; a problem is reported. */
	private boolean isSupported(OptionReader option, OptionValue value, @Nullable RuleLimits limits) {
		try {
			if (limits != null) {
				value.check(limits);
			}
			return true;
		}
		catch (IllegalArgumentException ex) {
			String written = option.properties()
				.stream()
				.map((name) -> name.replace("[]", ""))
				.filter(this.properties::hasValue)
				.findFirst()
				.orElse("");
			problems().add(String.valueOf(ex.getMessage()), "Set another algorithm, or remove",
					written.replaceFirst("\\..*", ""));
			return false;
		}
	}

	private RuleProblems problems() {
		return this.properties.problems();
	}

	private RuleOptions options() {
		return new RuleOptions(this.properties.valueOr("mode", RuleMode.ENFORCE),
				this.properties.valueOr("headers", HeaderVisibility.SHOWN),
				this.properties.value("on-store-failure", StoreFailurePolicy.class), Map.of());
	}

	private @Nullable Scope scope() {
		List<String> written = this.properties.list("scope");
		List<String> names = written.isEmpty() ? List.of(Scope.GLOBAL) : written;
		MissingKeyPolicy onMissingKey = this.properties.valueOr("on-missing-key", MissingKeyPolicy.IP);
		for (int i = 0; i < names.size(); i++) {
			String name = names.get(i);
			if (!Scope.BUILT_IN.contains(name) && !this.beans.keyResolvers().contains(name)) {
				problems().add(
						"scope '" + name + "' does not exist. The built-in scopes are "
								+ String.join(", ", Scope.BUILT_IN) + "; the KeyResolver beans are "
								+ this.beans.keyResolvers(),
						"Correct {}, or define a KeyResolver bean named '" + name + "'", "scope[" + i + "]");
				return null;
			}
		}
		return problems().attempt("scope", () -> new Scope(names, this.properties.text("key"), onMissingKey));
	}

	private Selection selection(AppliesTo appliesTo) {
		List<String> paths = this.properties.list("paths");
		List<String> excluded = this.properties.list("exclude-paths");
		checkPaths("path", "paths", paths);
		checkPaths("excluded path", "exclude-paths", excluded);
		List<String> written = this.properties.list("methods");
		Set<String> methods = new LinkedHashSet<>();
		for (int i = 0; i < written.size(); i++) {
			checkMethod(written.get(i), "methods[" + i + "]");
			methods.add(written.get(i).toUpperCase(Locale.ROOT));
		}
		return new Selection(appliesTo, paths, excluded, methods);
	}

	private void checkMethod(String method, String property) {
		if (!METHOD.matcher(method).matches()) {
			problems().add("method '" + method + "' is not a valid HTTP method", "Correct", property);
		}
		else if (!METHODS.contains(method.toUpperCase(Locale.ROOT))) {
			problems().warn("HTTP does not define the method '" + method + "'",
					"Correct {}, unless the application responds to this method", property);
		}
	}

	private void checkPaths(String name, String property, List<String> paths) {
		for (int i = 0; i < paths.size(); i++) {
			String mistake = this.pathMistakes.apply(paths.get(i));
			if (mistake != null) {
				problems().add(name + " '" + paths.get(i) + "' " + mistake, "Correct", property + "[" + i + "]");
			}
		}
	}

	/** Whether the key has an expression whose value may differ. */
	private boolean checkKey(@Nullable String text) {
		CallerExpression key = (text != null)
				? problems().attempt("key", () -> CallerExpression.parse(text, ExpressionUse.KEY, this.arguments))
				: null;
		if (key != null && key.facts().isEmpty()) {
			problems().warn("key '" + text + "' is a constant, so all callers share one bucket", "Correct or remove",
					"key");
		}
		return text != null && (key == null || !key.facts().isEmpty());
	}

}
