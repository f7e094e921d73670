package io.tierlimit.rule;

import io.tierlimit.HeaderVisibility;
import io.tierlimit.RuleMode;
import io.tierlimit.limit.BanPolicy;
import org.jspecify.annotations.Nullable;

/**
 * How a rule applies its limits.
 *
 * @param mode whether the rule rejects requests
 * @param visibility whether headers and rejections name the rule
 * @param store how the rule uses a shared store
 * @param reservations the bounds on the reservation of permits that are not yet available
 * @param chargePolicy how the outcome of a request changes its charge
 * @param ban when a caller is banned; {@code null} for never
 * @param rollout how far the rule is rolled out
 * @param adaptive when the rate is reduced; {@code null} for never
 */
public record RuleOptions(RuleMode mode, HeaderVisibility visibility, StoreOptions store,
		ReservationOptions reservations, ChargePolicy chargePolicy, @Nullable BanPolicy ban, RolloutOptions rollout,
		@Nullable AdaptivePolicy adaptive) {

	/**
	 * The defaults: the rule is enforced, headers and rejections name it, every request
	 * is charged, no permits can be reserved, no caller is banned, and the rate is
	 * constant.
	 */
	public static final RuleOptions STANDARD = new RuleOptions(RuleMode.ENFORCE, HeaderVisibility.SHOWN,
			StoreOptions.STANDARD, ReservationOptions.NONE, ChargePolicy.STANDARD, null, RolloutOptions.COMPLETE, null);

	/**
	 * Returns the same options with another mode.
	 * @param mode whether the rule rejects requests
	 * @return the options
	 */
	public RuleOptions mode(RuleMode mode) {
		return new RuleOptions(mode, this.visibility, this.store, this.reservations, this.chargePolicy, this.ban,
				this.rollout, this.adaptive);
	}

	/**
	 * Returns the same options with another visibility.
	 * @param visibility whether headers and rejections name the rule
	 * @return the options
	 */
	public RuleOptions visibility(HeaderVisibility visibility) {
		return new RuleOptions(this.mode, visibility, this.store, this.reservations, this.chargePolicy, this.ban,
				this.rollout, this.adaptive);
	}

	/**
	 * Returns the same options with other options for a shared store.
	 * @param store how the rule uses it
	 * @return the options
	 */
	public RuleOptions store(StoreOptions store) {
		return new RuleOptions(this.mode, this.visibility, store, this.reservations, this.chargePolicy, this.ban,
				this.rollout, this.adaptive);
	}

	/**
	 * Returns the same options with other bounds of reservations.
	 * @param reservations the bounds
	 * @return the options
	 */
	public RuleOptions reservations(ReservationOptions reservations) {
		return new RuleOptions(this.mode, this.visibility, this.store, reservations, this.chargePolicy, this.ban,
				this.rollout, this.adaptive);
	}

	/**
	 * Returns the same options with another charge policy.
	 * @param chargePolicy how the outcome of a request changes its charge
	 * @return the options
	 */
	public RuleOptions chargePolicy(ChargePolicy chargePolicy) {
		return new RuleOptions(this.mode, this.visibility, this.store, this.reservations, chargePolicy, this.ban,
				this.rollout, this.adaptive);
	}

	/**
	 * Returns the same options with another policy for bans.
	 * @param ban when a caller is banned; {@code null} for never
	 * @return the options
	 */
	public RuleOptions ban(@Nullable BanPolicy ban) {
		return new RuleOptions(this.mode, this.visibility, this.store, this.reservations, this.chargePolicy, ban,
				this.rollout, this.adaptive);
	}

	/**
	 * Returns the same options with another roll-out.
	 * @param rollout how far the rule is rolled out
	 * @return the options
	 */
	public RuleOptions rollout(RolloutOptions rollout) {
		return new RuleOptions(this.mode, this.visibility, this.store, this.reservations, this.chargePolicy, this.ban,
				rollout, this.adaptive);
	}

	/**
	 * Returns the same options with another policy for the rate.
	 * @param adaptive when the rate is reduced; {@code null} for never
	 * @return the options
	 */
	public RuleOptions adaptive(@Nullable AdaptivePolicy adaptive) {
		return new RuleOptions(this.mode, this.visibility, this.store, this.reservations, this.chargePolicy, this.ban,
				this.rollout, adaptive);
	}

}
