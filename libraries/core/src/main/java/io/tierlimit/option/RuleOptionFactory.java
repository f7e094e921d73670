package io.tierlimit.option;

import io.tierlimit.key.RuleKey;
import io.tierlimit.rule.OptionValue;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.RuleSet;

/**
 * Creates one kind of option for each rule set.
 */
@FunctionalInterface
public interface RuleOptionFactory {

	/**
	 * Creates the options of a rule set.
	 * @param rules the rules
	 * @return the options
	 */
	RuleSetOption of(RuleSet rules);

	/**
	 * Creates the options of the rules that have a value.
	 * @param <V> the type of the value
	 * @param type the type of the value
	 * @param option creates the option of a rule
	 * @return the factory
	 */
	static <V extends OptionValue> RuleOptionFactory of(Class<V> type, OfValue<V> option) {
		return (rules) -> (rule, key) -> {
			V value = rule.options().find(type);
			return (value != null) ? option.of(rule, key, value) : null;
		};
	}

	/**
	 * Creates the option of a rule that has a value.
	 *
	 * @param <V> the type of the value
	 */
	@FunctionalInterface
	interface OfValue<V extends OptionValue> {

		/**
		 * Creates the option.
		 * @param rule the rule
		 * @param key the key of its buckets
		 * @param value the value
		 * @return the option
		 */
		RuleOption of(Rule rule, RuleKey key, V value);

	}

}
