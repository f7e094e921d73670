package io.tierlimit.rule;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

import io.tierlimit.RuleMode;
import org.jspecify.annotations.Nullable;

/**
 * The rules in force, in the order in which headers list them.
 *
 * @param rules the rules, each with its own id
 * @param arguments the types of the method's arguments that the key and the cost of a
 * rule may read, by the id of the rule and their names; none for rules that no annotation
 * defines
 * @param inactive the ids of rules that are disabled, or were removed while the
 * application ran; a program that names one of them is not limited by it
 * @param overrides what applies to single callers instead of the limits of rules; of
 * several for the same target and rule, the first that is in force
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
	 * Creates a set of rules that no annotation defines.
	 * @param rules the rules
	 * @throws IllegalArgumentException if two rules have the same id
	 */
	public RuleSet(List<Rule> rules) {
		this(rules, Map.of(), Set.of(), List.of(), RuleMode.ENFORCE);
	}

	/**
	 * Returns this set as the successor of another: rules of that set that this one does
	 * not have are inactive.
	 * @param previous the set that was in force
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
	 * @param overrides the overrides, those with the highest precedence first
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
	 * A rule in the mode in which it is in force.
	 * @param rule a rule of this set, or one that is added to it
	 * @return the rule; in shadow mode if all rules are
	 */
	public Rule inForce(Rule rule) {
		return (this.mode == RuleMode.SHADOW) ? rule.options((options) -> options.mode(RuleMode.SHADOW)) : rule;
	}

	/**
	 * The arguments that a rule may read.
	 * @param rule a rule of this set
	 * @return the types of the arguments, by their names, of the method whose annotation
	 * defines the rule; otherwise none
	 */
	public Map<String, Class<?>> argumentsOf(Rule rule) {
		return this.arguments.getOrDefault(rule.id(), Map.of());
	}

}
