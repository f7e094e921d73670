package io.tierlimit.rule;

import java.time.Duration;

import io.tierlimit.limit.Overdraft;
import org.jspecify.annotations.Nullable;

/**
 * What an option of a rule is set to. A rule without the option has no value of it.
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
	 * The permits that a request may take in advance, because it waits for them.
	 * @return none by default
	 */
	default Overdraft overdraft() {
		return Overdraft.NONE;
	}

	/**
	 * Whether the rule needs limits whose permits can be reserved.
	 * @return whether it does
	 */
	default boolean reserves() {
		return false;
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
	 * Whether the candidate of a rule has the option, too.
	 * @return whether it has
	 */
	default boolean appliesToCandidate() {
		return false;
	}

	/**
	 * For which keys a rule rejects requests: the last one of several values applies.
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
