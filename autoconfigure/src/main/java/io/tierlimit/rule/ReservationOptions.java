package io.tierlimit.rule;

import java.time.Duration;

import io.tierlimit.limit.Overdraft;
import io.tierlimit.limit.Rate;

/**
 * How far a rule lets callers reserve permits that have not come yet.
 *
 * @param maxReserved how many permits a bucket may owe to those who reserve by program: 0
 * to 10<sup>12</sup>
 * @param maxWait how long a request or a call may be held until its permits have come: 0
 * to 3,650 days, in whole microseconds
 */
public record ReservationOptions(long maxReserved, Duration maxWait) {

	/** What rules do that say nothing else: who comes too early is rejected. */
	public static final ReservationOptions NONE = new ReservationOptions(0, Duration.ZERO);

	/**
	 * Creates the bounds of reservations.
	 * @throws IllegalArgumentException if one is outside of what is accepted
	 */
	public ReservationOptions {
		Overdraft.ofPermits(maxReserved);
		if (maxWait.isNegative() || maxWait.compareTo(Rate.MAX_PERIOD) > 0) {
			throw new IllegalArgumentException(
					"Requests wait from 0s to " + Rate.MAX_PERIOD.toDays() + "d, but not for " + maxWait);
		}
		if (maxWait.toNanosPart() % 1000 != 0) {
			throw new IllegalArgumentException("Requests wait for whole microseconds, but not for " + maxWait);
		}
	}

	/**
	 * What a program can reserve.
	 * @return the bound on what a bucket owes
	 */
	public Overdraft byProgram() {
		return Overdraft.ofPermits(this.maxReserved);
	}

	/**
	 * What a request can reserve.
	 * @return the bound on how long it is held
	 */
	public Overdraft byWaiting() {
		return Overdraft.ofTicks(this.maxWait.toNanos() / 1000);
	}

}
