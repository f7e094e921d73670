package io.tierlimit.rule;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

import io.tierlimit.RuleMode;
import org.jspecify.annotations.Nullable;

/**
 * The rules of an application with everything that applies to them as a whole.
 *
 * @param rules the rules in the order in which headers list them, each with its own id
 * @param arguments the types of the method's arguments that the key and the cost of a
 * rule may read, by the id of the rule and by the names of the arguments; empty for a
 * rule that no annotation declares
 * @param inactive the ids of rules that are disabled, or were removed while the
 * application runs; code that names such a rule is not limited by it
 * @param overrides what applies to single callers instead of the limits of rules. For one
 * target and rule, the first active override in this list applies
 * @param mode {@code SHADOW}: no rule rejects requests, whatever its own mode is
 */
public record RuleSet(List<Rule> rules, Map<String, Map<String, Class<?>>> arguments, Set<String> inactive,
		List<CallerOverride> overrides, RuleMode mode) {

	/**
	 * Creates a rule set.
	 * @throws IllegalArgumentException if two rules have the same id
	 */
	public RuleSet {
		rules = List.copyOf(rules);
		arguments = Map.copyOf(arguments);
		inactive = Set.copyOf(inactive);
		overrides = List.copyOf(overrides);
		Set<String> ids = new HashSet<>();
		for (Rule rule : rules) {
			if (!ids.add(rule.id())) {
				throw new IllegalArgumentException(
						"Rule '" + rule.id() + "': the id must be unique, but two rules have it");
			}
		}
	}

	/**
	 * Creates a set of rules that no annotation declares.
	 * @param rules the rules
	 * @throws IllegalArgumentException if two rules have the same id
	 */
	public RuleSet(List<Rule> rules) {
		this(rules, Map.of(), Set.of(), List.of(), RuleMode.ENFORCE);
	}

	/**
	 * Returns this set as the successor of another set: rules that only the other set has
	 * become inactive.
	 * @param previous the other set
	 * @return the set
	 */
	public RuleSet after(RuleSet previous) {
		Set<String> ids = new TreeSet<>(this.inactive);
		ids.addAll(previous.inactive);
		previous.rules.forEach((rule) -> ids.addAll(idsOf(rule)));
		this.rules.forEach((rule) -> ids.removeAll(idsOf(rule)));
		return new RuleSet(this.rules, this.arguments, ids, this.overrides, this.mode);
	}

	/** The ids of a rule and its candidate. */
	private static Set<String> idsOf(Rule rule) {
		Set<String> ids = new HashSet<>(Set.of(rule.id()));
		rule.derived().forEach((derived) -> ids.add(derived.id()));
		return ids;
	}

	/**
	 * Returns the same rules in another mode.
	 * @param mode the mode of all rules
	 * @return the rules, which keep their own modes
	 */
	public RuleSet mode(RuleMode mode) {
		return new RuleSet(this.rules, this.arguments, this.inactive, this.overrides, mode);
	}

	/**
	 * Returns the same rules with other overrides.
	 * @param overrides the overrides, in descending precedence
	 * @return the rules
	 */
	public RuleSet overrides(List<CallerOverride> overrides) {
		return new RuleSet(this.rules, this.arguments, this.inactive, overrides, this.mode);
	}

	/**
	 * Looks up an override.
	 * @param id the id of the override
	 * @return the override, or {@code null} if none has that id
	 */
	public @Nullable CallerOverride override(String id) {
		return this.overrides.stream().filter((override) -> override.id().equals(id)).findFirst().orElse(null);
	}

	/**
	 * Applies the mode of this set to a rule.
	 * @param rule a rule of this set, or a rule that is added to it
	 * @return the rule; in shadow mode if this set is in shadow mode
	 */
	public Rule effective(Rule rule) {
		return (this.mode == RuleMode.SHADOW) ? rule.options((options) -> options.mode(RuleMode.SHADOW)) : rule;
	}

	/**
	 * The arguments that a rule may read.
	 * @param rule a rule of this set
	 * @return the types of the method's arguments by their names; empty if no annotation
	 * declares the rule
	 */
	public Map<String, Class<?>> argumentsOf(Rule rule) {
		return this.arguments.getOrDefault(rule.id(), Map.of());
	}

}
