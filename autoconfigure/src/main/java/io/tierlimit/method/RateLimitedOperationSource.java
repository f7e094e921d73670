package io.tierlimit.method;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

import io.tierlimit.evaluation.CompiledRule;
import io.tierlimit.evaluation.MatchedRule;
import io.tierlimit.evaluation.MethodRules;
import io.tierlimit.evaluation.MethodRulesLookup;
import io.tierlimit.evaluation.RateLimitEvaluator;
import io.tierlimit.rule.Rule;

import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.MethodClassKey;

/**
 * The rules of annotated methods, each compiled once.
 */
public final class RateLimitedOperationSource implements MethodRulesLookup {

	private final Map<MethodClassKey, MethodRules> methods = new ConcurrentHashMap<>();

	private final Map<RateLimitedOperation, CompiledRule> rules = new ConcurrentHashMap<>();

	private final Function<RateLimitedOperation, @Nullable Rule> reader;

	private final RateLimitEvaluator evaluator;

	/**
	 * Creates a source, and adds the rules that annotations define to the evaluator.
	 * @param scanner finds the annotations
	 * @param reader converts an annotation to a rule, or to {@code null} if it names a
	 * rule that is not enabled
	 * @param evaluator compiles rules
	 */
	public RateLimitedOperationSource(RateLimitedBeanScanner scanner,
			Function<RateLimitedOperation, @Nullable Rule> reader, RateLimitEvaluator evaluator) {
		this.reader = reader;
		this.evaluator = evaluator;
		read(scanner);
	}

	/**
	 * Adds the rules of all annotations that were found so far.
	 * @param scanner finds the annotations
	 */
	public void read(RateLimitedBeanScanner scanner) {
		scanner.uses().forEach(this::rule);
	}

	@Override
	public MethodRules of(Method method, Class<?> type) {
		MethodClassKey called = new MethodClassKey(method, type);
		MethodRules rules = this.methods.get(called);
		if (rules == null) {
			Method specific = AopUtils.getMostSpecificMethod(method, type);
			rules = this.methods.computeIfAbsent(new MethodClassKey(specific, type), (absent) -> read(specific, type));
			this.methods.put(called, rules);
		}
		return rules;
	}

	@Override
	public boolean isEmpty() {
		return this.rules.isEmpty();
	}

	private MethodRules read(Method method, Class<?> type) {
		Map<String, MatchedRule> matched = new LinkedHashMap<>();
		Map<String, Integer> arguments = new LinkedHashMap<>(RateLimitedOperation.arguments(method));
		for (RateLimitedOperation use : RateLimitedOperation.of(method, type)) {
			CompiledRule rule = rule(use);
			if (rule != null) {
				matched.putIfAbsent(rule.rule().id(), new MatchedRule(rule, RateLimitedOperation.shortName(method)));
				arguments.putAll(use.arguments());
			}
		}
		return matched.isEmpty() ? MethodRules.NONE : new MethodRules(new ArrayList<>(matched.values()), arguments);
	}

	private @Nullable CompiledRule rule(RateLimitedOperation use) {
		CompiledRule compiled = this.rules.get(use);
		Rule rule = (compiled != null) ? null : this.reader.apply(use);
		if (rule != null) {
			compiled = this.rules.computeIfAbsent(use, (absent) -> compile(rule, use));
		}
		return compiled;
	}

	private CompiledRule compile(Rule rule, RateLimitedOperation use) {
		CompiledRule inForce = this.evaluator.rule(rule.id());
		if (inForce == null) {
			return this.evaluator.add(rule, use.arguments().keySet());
		}
		return inForce.rule().equals(rule) ? inForce : this.evaluator.compile(rule, use.arguments().keySet());
	}

}
