package io.tierlimit.method;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

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
public final class RateLimitedMethods implements MethodRulesLookup {

	private final Map<MethodClassKey, MethodRules> methods = new ConcurrentHashMap<>();

	private final Map<RateLimitedUse, CompiledRule> rules = new ConcurrentHashMap<>();

	private final RateLimitedReader reader;

	private final RateLimitEvaluator evaluator;

	/**
	 * Creates a look-up, and puts the rules that annotations write in force.
	 * @param classes the classes that annotations stand on
	 * @param reader makes rules of annotations
	 * @param evaluator compiles rules
	 */
	public RateLimitedMethods(RateLimitedClasses classes, RateLimitedReader reader, RateLimitEvaluator evaluator) {
		this.reader = reader;
		this.evaluator = evaluator;
		read(classes);
	}

	/**
	 * Puts the rules that annotations write in force, as far as they are known by now.
	 * @param classes the classes that annotations stand on
	 */
	public void read(RateLimitedClasses classes) {
		classes.uses().forEach(this::rule);
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
		Map<String, MatchedRule> held = new LinkedHashMap<>();
		Map<String, Integer> arguments = new LinkedHashMap<>(RateLimitedUse.arguments(method));
		for (RateLimitedUse use : RateLimitedUses.of(method, type)) {
			CompiledRule rule = rule(use);
			if (rule != null) {
				held.putIfAbsent(rule.rule().id(), new MatchedRule(rule, RateLimitedUse.shortName(method)));
				arguments.putAll(use.arguments());
			}
		}
		return held.isEmpty() ? MethodRules.NONE : new MethodRules(new ArrayList<>(held.values()), arguments);
	}

	private @Nullable CompiledRule rule(RateLimitedUse use) {
		CompiledRule known = this.rules.get(use);
		Rule rule = (known != null) ? null : this.reader.read(use);
		if (rule != null) {
			known = this.rules.computeIfAbsent(use, (absent) -> compile(rule, use));
		}
		return known;
	}

	private CompiledRule compile(Rule rule, RateLimitedUse use) {
		CompiledRule inForce = this.evaluator.rule(rule.id());
		if (inForce == null) {
			return this.evaluator.add(rule, use.arguments().keySet());
		}
		return inForce.rule().equals(rule) ? inForce : this.evaluator.compile(rule, use.arguments().keySet());
	}

}
