package io.tierlimit.rule;

import java.time.Duration;
import java.util.List;

import io.tierlimit.limit.Overdraft;
import org.jspecify.annotations.Nullable;

/**
 * The value of an option of a rule. A rule without the option has none.
 */
public interface OptionValue {

	/**
	 * For which keys the rule may reject requests.
	 * @return all by default
	 */
	default Enforcement enforcement() {
		return Enforcement.ALL;
	}

	/**
	 * The permits that a request may acquire in advance, because it waits for them.
	 * @return none by default
	 */
	default Overdraft overdraft() {
		return Overdraft.NONE;
	}

	/**
	 * Checks limits that a rule with the option has, or that may replace them.
	 * @param limits the limits
	 * @throws IllegalArgumentException if the option does not support them
	 */
	default void check(RuleLimits limits) {
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
	 * How long the option remembers that a caller was rejected.
	 * @return the time; zero by default
	 */
	default Duration memory() {
		return Duration.ZERO;
	}

	/**
	 * Whether a change of the option may reject a caller that has not changed its
	 * behavior. Called with different values, of which this is one.
	 * @param before the value before; {@code null} for none
	 * @param after the value after; {@code null} for none
	 * @return whether it may
	 */
	default boolean mayRejectMore(@Nullable OptionValue before, @Nullable OptionValue after) {
		return false;
	}

	/**
	 * Derives another rule, which the requests of a rule charge in the same call, unless
	 * an option has changed the limit of the caller. It rejects nothing.
	 * @param rule the rule that has the option
	 * @return the other rule, or {@code null} for none
	 */
	default @Nullable Rule derive(Rule rule) {
		return null;
	}

	/**
	 * Whether rules that are derived from a rule have the option, too.
	 * @return whether they have
	 */
	default boolean appliesToDerived() {
		return false;
	}

	/**
	 * For which keys a rule rejects requests. If options differ, the constant that is
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
