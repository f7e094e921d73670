package io.tierlimit.option;

import io.tierlimit.key.RuleKey;
import io.tierlimit.rule.Rule;
import org.jspecify.annotations.Nullable;

/**
 * One kind of option in one rule set. Creates the option of each rule, and contains the
 * state that the rules share.
 */
@FunctionalInterface
public interface RuleSetOption {

	/**
	 * Creates the option of a rule. May be called several times for a rule, since
	 * annotations can set other keys and costs. May also be called later for the rules of
	 * lazy beans.
	 * @param rule the rule
	 * @param key the key of its buckets
	 * @return the option, or {@code null} if the rule does not have it
	 * @throws IllegalArgumentException if a value is not valid
	 */
	@Nullable RuleOption of(Rule rule, RuleKey key);

	/**
	 * Takes over the state of the rule set that this one replaces.
	 * @param earlier the object that the same {@link RuleOptionFactory} has created for
	 * that rule set
	 */
	default void continueFrom(RuleSetOption earlier) {
	}

}
