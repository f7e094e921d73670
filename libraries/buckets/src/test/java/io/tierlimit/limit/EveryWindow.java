package io.tierlimit.limit;

import java.math.BigInteger;

import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Compares admitted permits with burst + rate * w in every window at once. The worst
 * window starts where admitted - earned was lowest, so only this minimum is stored.
 * Numbers are exact; their unit is one permit divided by the period.
 */
final class EveryWindow {

	private final BigInteger permits;

	private final BigInteger period;

	private final BigInteger most;

	private BigInteger admitted = BigInteger.ZERO;

	private @Nullable BigInteger lowest;

	/**
	 * Starts a window whenever permits are admitted.
	 * @param limit the limit
	 * @param extra the permits that may be admitted beyond the limit, in the same unit
	 */
	EveryWindow(Limit limit, BigInteger extra) {
		this.permits = BigInteger.valueOf(limit.rate().permits());
		this.period = BigInteger.valueOf(limit.rate().periodTicks());
		this.most = BigInteger.valueOf(limit.capacity()).multiply(this.period).add(extra);
	}

	void admit(long cost, long at) {
		BigInteger start = this.admitted.subtract(earnedUntil(at));
		this.lowest = (this.lowest != null) ? this.lowest.min(start) : start;
		this.admitted = this.admitted.add(BigInteger.valueOf(cost).multiply(this.period));
		BigInteger worst = this.admitted.subtract(earnedUntil(at)).subtract(this.lowest);
		assertThat(worst).isLessThanOrEqualTo(this.most);
	}

	private BigInteger earnedUntil(long at) {
		return this.permits.multiply(BigInteger.valueOf(at));
	}

}
