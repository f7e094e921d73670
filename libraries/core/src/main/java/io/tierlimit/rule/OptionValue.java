package io.tierlimit.rule;

import java.time.Duration;
import java.util.List;

import io.tierlimit.limit.Overdraft;
import org.jspecify.annotations.Nullable;

/**
 * The value of an option of a rule. A rule without the option has no value.
 */
public interface OptionValue {

	/**
	 * The keys for which the rule may reject requests.
	 * @return by default all keys
	 */
	default Enforcement enforcement() {
		return Enforcement.ALL;
	}

	/**
	 * The permits that a request may acquire before they are available, because it waits
	 * for them.
	 * @return by default no permits
	 */
	default Overdraft overdraft() {
		return Overdraft.NONE;
	}

	/**
	 * Checks limits that a rule with the option has, or that may replace them.
	 * @param limits the limits
	 * @throws IllegalArgumentException if the option does not support these limits
	 */
	default void check(RuleLimits limits) {
	}

	/**
	 * Checks the scope and the other options of a rule with the option, which an
	 * annotation may have changed.
	 * @param scope the scope of the rule
	 * @param options all options of the rule
	 * @throws IllegalArgumentException if the option cannot be combined with them
	 */
	default void check(Scope scope, RuleOptions options) {
	}

	/**
	 * The expressions over the caller that decide whether the rule applies to a request
	 * that it selects.
	 * @return the expressions; empty by default
	 */
	default List<String> expressions() {
		return List.of();
	}

	/**
	 * The time for which the option stores that a caller was rejected.
	 * @return the time; zero by default
	 */
	default Duration memory() {
		return Duration.ZERO;
	}

	/**
	 * Whether a change of the option may reject a caller that has not changed its
	 * behavior. The values differ, and one of them is this value.
	 * @param before the value before the change; {@code null} for none
	 * @param after the value after the change; {@code null} for none
	 * @return whether such a caller may be rejected
	 */
	default boolean mayRejectMore(@Nullable OptionValue before, @Nullable OptionValue after) {
		return false;
	}

	/**
	 * Derives another rule, which rejects nothing. It is charged for the same requests as
	 * the given rule, in the same call, unless an option has changed the limit of the
	 * caller.
	 * @param rule the rule that has the option
	 * @return the other rule, or {@code null} for none
	 */
	default @Nullable Rule derive(Rule rule) {
		return null;
	}

	/**
	 * Whether the option also applies to rules that are derived from a rule with the
	 * option.
	 * @return whether derived rules have the option
	 */
	default boolean appliesToDerived() {
		return false;
	}

	/**
	 * The keys for which a rule rejects requests. If options differ, the constant that is
	 * declared last applies.
	 */
	enum Enforcement {

		/** All keys. */
		ALL,
		/** Some keys. */
		SOME,
		/** No key, as in shadow mode. */
		NONE

	}

}
