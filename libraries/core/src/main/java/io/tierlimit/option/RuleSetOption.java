package io.tierlimit.option;

import io.tierlimit.key.RuleKey;
import io.tierlimit.rule.Rule;
import org.jspecify.annotations.Nullable;

/**
 * One kind of option in one rule set: creates the option of each rule, and has what the
 * rules share.
 */
@FunctionalInterface
public interface RuleSetOption {

	/**
	 * Creates the option of a rule. May be called several times for a rule, whose
	 * annotations have other keys and costs, and for rules that are found late.
	 * @param rule the rule
	 * @param key the key of its buckets
	 * @return the option, or {@code null} if the rule does not have it
	 * @throws IllegalArgumentException if a value is not valid
	 */
	@Nullable RuleOption of(Rule rule, RuleKey key);

	/**
	 * Continues from a rule set that this one replaces now.
	 * @param earlier what {@link RuleOptionFactory} has created for that rule set
	 */
	default void continueFrom(RuleSetOption earlier) {
	}

}
