package io.tierlimit.rule;

import io.tierlimit.HeaderVisibility;
import io.tierlimit.RuleMode;

/**
 * How a rule applies its limits. Immutable: every method with a parameter returns other
 * options.
 *
 * @param mode whether the rule rejects requests
 * @param visibility whether headers and rejections name the rule
 * @param store how it deals with a shared store
 * @param reservations how far callers can reserve permits that are not yet earned
 * @param charging what it makes of the outcome of a request
 */
public record RuleOptions(RuleMode mode, HeaderVisibility visibility, StorePolicy store, Reservations reservations,
		Charging charging) {

	/**
	 * The defaults: the rule is enforced and shown, charges every request, and nothing
	 * can be reserved under it.
	 */
	public static final RuleOptions STANDARD = new RuleOptions(RuleMode.ENFORCE, HeaderVisibility.SHOWN,
			StorePolicy.STANDARD, Reservations.NONE, Charging.STANDARD);

	/**
	 * Sets the mode.
	 * @param mode whether the rule rejects requests
	 * @return the options with it
	 */
	public RuleOptions mode(RuleMode mode) {
		return new RuleOptions(mode, this.visibility, this.store, this.reservations, this.charging);
	}

	/**
	 * Sets the visibility.
	 * @param visibility whether headers and rejections name the rule
	 * @return the options with it
	 */
	public RuleOptions visibility(HeaderVisibility visibility) {
		return new RuleOptions(this.mode, visibility, this.store, this.reservations, this.charging);
	}

	/**
	 * Sets the policy for a shared store.
	 * @param store how the rule deals with it
	 * @return the options with it
	 */
	public RuleOptions store(StorePolicy store) {
		return new RuleOptions(this.mode, this.visibility, store, this.reservations, this.charging);
	}

	/**
	 * Sets the bounds of reservations.
	 * @param reservations how far callers can reserve permits
	 * @return the options with them
	 */
	public RuleOptions reservations(Reservations reservations) {
		return new RuleOptions(this.mode, this.visibility, this.store, reservations, this.charging);
	}

	/**
	 * Sets the charging.
	 * @param charging what the rule makes of the outcome of a request
	 * @return the options with it
	 */
	public RuleOptions charging(Charging charging) {
		return new RuleOptions(this.mode, this.visibility, this.store, this.reservations, charging);
	}

}
