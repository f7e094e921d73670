package io.tierlimit.option.wait;

import java.time.Duration;
import java.util.Map;

import io.tierlimit.limit.Overdraft;
import io.tierlimit.limit.Rate;
import io.tierlimit.option.RuleOption;
import io.tierlimit.rule.KebabCase;
import io.tierlimit.rule.OptionValue;
import io.tierlimit.rule.RuleLimits;
import io.tierlimit.store.ChargeOptions;
import org.jspecify.annotations.Nullable;

/**
 * The bounds on the reservation of permits that are not yet available, and on the wait
 * until permits in use are released.
 *
 * @param maxReserved the maximum number of permits that a bucket may owe to reservations
 * by code: 0 to 10<sup>12</sup>
 * @param maxWait the maximum time that a request or a call waits for its permits: 0 to
 * 3,650 days, in whole microseconds
 */
public record ReservationOptions(long maxReserved, Duration maxWait) implements OptionValue, RuleOption {

	/** The default: permits cannot be reserved, and requests do not wait. */
	public static final ReservationOptions NONE = new ReservationOptions(0, Duration.ZERO);

	/**
	 * Creates the bounds of reservations.
	 * @throws IllegalArgumentException if a bound is out of range
	 */
	public ReservationOptions {
		Overdraft.ofPermits(maxReserved);
		if (maxWait.isNegative() || maxWait.compareTo(Rate.MAX_PERIOD) > 0) {
			throw new IllegalArgumentException(
					"max-wait must be from 0s to " + Rate.MAX_PERIOD.toDays() + "d (was " + maxWait + ")");
		}
		if (maxWait.toNanosPart() % 1000 != 0) {
			throw new IllegalArgumentException("max-wait must be a whole number of microseconds (was " + maxWait + ")");
		}
	}

	@Override
	public Overdraft overdraft() {
		return Overdraft.ofTicks(this.maxWait.toNanos() / 1000);
	}

	@Override
	public void check(RuleLimits limits) {
		if (this.maxReserved > 0 && limits.allowWaiting() && !limits.areReservable()) {
			throw new IllegalArgumentException(
					"max-reserved is not supported by " + KebabCase.of(limits.standard().algorithm()));
		}
		if (!equals(NONE) && !limits.allowWaiting()) {
			throw new IllegalArgumentException(
					"max-reserved and max-wait are not supported by " + KebabCase.of(limits.standard().algorithm()));
		}
	}

	/** With a shorter wait, requests are rejected that would have waited. */
	@Override
	public boolean mayRejectMore(@Nullable OptionValue before, @Nullable OptionValue after) {
		return maxWait(after).compareTo(maxWait(before)) < 0;
	}

	private static Duration maxWait(@Nullable OptionValue value) {
		return (value instanceof ReservationOptions options) ? options.maxWait : Duration.ZERO;
	}

	@Override
	public boolean appliesToDerived() {
		return true;
	}

	@Override
	public ChargeOptions charge(ChargeOptions options, Purpose purpose) {
		return switch (purpose) {
			case IMMEDIATE -> options;
			case WAITING -> options.reserving(overdraft());
			case RESERVATION -> options.reserving(Overdraft.ofPermits(this.maxReserved));
		};
	}

	@Override
	public void describe(Map<String, Object> description) {
		RuleOption.put(description, "maxReserved", (this.maxReserved > 0) ? this.maxReserved : null);
		RuleOption.put(description, "maxWait", this.maxWait.isZero() ? null : this.maxWait);
	}

}
