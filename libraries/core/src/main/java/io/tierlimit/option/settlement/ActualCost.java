package io.tierlimit.option.settlement;

import io.tierlimit.limit.Limit;
import io.tierlimit.limit.Rate;
import io.tierlimit.rule.KebabCase;
import io.tierlimit.rule.OptionValue;
import io.tierlimit.rule.RuleLimits;
import org.jspecify.annotations.Nullable;

/**
 * The actual cost of requests, which replaces their estimated cost.
 *
 * @param expression the expression that determines the cost of a finished request
 * @param maxDebt the permits that a bucket may owe because of actual costs above the
 * estimates: 0 to 10<sup>12</sup>; {@code null} for the capacity of the bucket
 */
public record ActualCost(String expression, @Nullable Long maxDebt) implements OptionValue {

	/**
	 * Creates an actual cost.
	 * @throws IllegalArgumentException if the debt is out of range
	 */
	public ActualCost {
		if (maxDebt != null && (maxDebt < 0 || maxDebt > Rate.MAX_PERMITS)) {
			throw new IllegalArgumentException(
					"max-debt must be from 0 to " + Rate.MAX_PERMITS + " permits (was " + maxDebt + ")");
		}
	}

	@Override
	public void check(RuleLimits limits) {
		if (!limits.areReservable()) {
			throw new IllegalArgumentException(
					"actual-cost is not supported by " + KebabCase.of(limits.standard().algorithm()));
		}
	}

	/** Any change may charge more. */
	@Override
	public boolean mayRejectMore(@Nullable OptionValue before, @Nullable OptionValue after) {
		return true;
	}

	@Override
	public boolean appliesToDerived() {
		return true;
	}

	long maxDebt(Limit limit) {
		return (this.maxDebt != null) ? this.maxDebt : limit.capacity();
	}

}
