package io.tierlimit.method;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

import io.tierlimit.evaluation.CompiledRule;
import io.tierlimit.evaluation.CompiledRules;
import io.tierlimit.evaluation.MatchedRule;
import io.tierlimit.evaluation.MethodRules;
import io.tierlimit.evaluation.MethodRulesLookup;
import io.tierlimit.rule.Rule;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;
import org.springframework.core.MethodClassKey;

/**
 * The rules of annotated methods. The annotations of each method are found once. The
 * rules of each method are compiled once for each rule set.
 */
public final class RateLimitedOperationSource implements MethodRulesLookup {

	private final Map<MethodClassKey, AnnotatedMethod> methods = new ConcurrentHashMap<>();

	private final RateLimitedReader reader;

	private volatile boolean empty = true;

	/**
	 * Creates a source.
	 * @param reader converts an annotation to a rule
	 */
	public RateLimitedOperationSource(RateLimitedReader reader) {
		this.reader = reader;
	}

	/**
	 * Compiles the rules of all annotations that were found so far.
	 * @param scanner finds the annotations
	 * @param rules the rule set, to which the rules that annotations declare are added
	 */
	public void read(RateLimitedBeanScanner scanner, CompiledRules rules) {
		scanner.uses().forEach((use) -> rule(use, rules));
	}

	@Override
	public MethodRules of(CompiledRules rules, Method method, Class<?> type) {
		AnnotatedMethod annotated = of(method, type);
		return annotated.operations.isEmpty() ? MethodRules.NONE : rules.view(annotated);
	}

	@Override
	public boolean isAnnotated(Method method, Class<?> type) {
		return !of(method, type).operations.isEmpty();
	}

	private AnnotatedMethod of(Method method, Class<?> type) {
		MethodClassKey called = new MethodClassKey(method, type);
		AnnotatedMethod annotated = this.methods.get(called);
		if (annotated == null) {
			Method specific = AopUtils.getMostSpecificMethod(method, type);
			annotated = this.methods.computeIfAbsent(new MethodClassKey(specific, type),
					(absent) -> new AnnotatedMethod(specific, RateLimitedOperation.of(specific, type)));
			this.methods.put(called, annotated);
		}
		return annotated;
	}

	@Override
	public boolean isEmpty() {
		return this.empty;
	}

	/** The rule of an annotation; {@code null} if the rule is disabled. */
	private @Nullable CompiledRule rule(RateLimitedOperation use, CompiledRules rules) {
		this.empty = false;
		String id = this.reader.idOf(use);
		CompiledRule defined = use.namesRule() ? null : rules.rule(id);
		if (defined != null || rules.isInactive(id)) {
			return defined;
		}
		Rule rule = this.reader.read(use, (name) -> {
			CompiledRule named = rules.rule(name);
			return (named != null) ? named.rule() : null;
		});
		if (rule == null) {
			return null;
		}
		CompiledRule known = rules.rule(rule.id());
		if (known == null) {
			return rules.add(rule, use.argumentTypes());
		}
		return known.rule().equals(rule) ? known : rules.variant(rule, use.argumentTypes());
	}

	/**
	 * A method with the annotations that apply to it.
	 */
	private final class AnnotatedMethod implements Function<CompiledRules, MethodRules> {

		private final Method method;

		private final List<RateLimitedOperation> operations;

		AnnotatedMethod(Method method, List<RateLimitedOperation> operations) {
			this.method = method;
			this.operations = operations;
		}

		@Override
		public MethodRules apply(CompiledRules rules) {
			Map<String, MatchedRule> matched = new LinkedHashMap<>();
			Map<String, Integer> arguments = new LinkedHashMap<>(RateLimitedOperation.arguments(this.method));
			for (RateLimitedOperation use : this.operations) {
				CompiledRule rule = rule(use, rules);
				if (rule != null) {
					matched.putIfAbsent(rule.rule().id(),
							new MatchedRule(rule, RateLimitedOperation.shortName(this.method)));
					arguments.putAll(use.arguments());
				}
			}
			return matched.isEmpty() ? MethodRules.NONE : new MethodRules(new ArrayList<>(matched.values()), arguments);
		}

	}

}
