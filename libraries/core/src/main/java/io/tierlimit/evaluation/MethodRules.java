package io.tierlimit.evaluation;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import io.tierlimit.rule.Rule;
import io.tierlimit.spi.Caller;
import org.jspecify.annotations.Nullable;

/**
 * The rules that apply to calls to one annotated method.
 */
public final class MethodRules {

	/** The rules of a method without an annotation. */
	public static final MethodRules NONE = new MethodRules(List.of(), Map.of());

	private final List<MatchedRule> rules;

	private final Map<String, Integer> arguments;

	/**
	 * Creates the rules of a method.
	 * @param rules the rules, each at most once
	 * @param arguments the positions of the method's arguments by their names
	 */
	public MethodRules(List<MatchedRule> rules, Map<String, Integer> arguments) {
		this.rules = List.copyOf(rules);
		this.arguments = Map.copyOf(arguments);
	}

	/**
	 * Whether no rule applies to the method.
	 * @return whether there are no rules
	 */
	public boolean isEmpty() {
		return this.rules.isEmpty();
	}

	/**
	 * The rules.
	 * @return the rules in the order of the annotations
	 */
	public List<Rule> rules() {
		return this.rules.stream().map((match) -> match.rule().rule()).toList();
	}

	List<MatchedRule> all() {
		return this.rules;
	}

	boolean contains(String rule) {
		return this.rules.stream().anyMatch((match) -> match.rule().rule().id().equals(rule));
	}

	/** The caller of the method, with the arguments of the call. */
	Caller caller(Caller caller, @Nullable Object[] values) {
		return new MethodCaller(caller, this.arguments, Arrays.asList(values));
	}

	/**
	 * The rules for a stage of a request that this method will serve, evaluated before
	 * the method is called. If an annotation sets a key or cost for a rule, its variant
	 * replaces that rule.
	 */
	List<MatchedRule> join(List<MatchedRule> matched, Stage stage) {
		if (this.rules.isEmpty()) {
			return matched;
		}
		Set<CompiledRule> selected = matched.stream().map(MatchedRule::rule).collect(Collectors.toSet());
		Set<String> replaced = this.rules.stream()
			.map(MatchedRule::rule)
			.filter((rule) -> !selected.contains(rule))
			.map((rule) -> rule.rule().id())
			.collect(Collectors.toSet());
		List<MatchedRule> joined = new ArrayList<>(matched);
		joined.removeIf((match) -> replaced.contains(match.rule().rule().id()));
		for (MatchedRule annotated : this.rules) {
			CompiledRule rule = annotated.rule();
			if (stage.decides(rule) && !rule.readsArguments() && !selected.contains(rule)) {
				joined.add(annotated);
			}
		}
		return joined;
	}

}
