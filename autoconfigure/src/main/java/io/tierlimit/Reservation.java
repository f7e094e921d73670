package io.tierlimit;

import java.time.Duration;

/**
 * Reserved permits, and the time at which their owner may act. Later requests wait behind
 * a reservation, whatever their cost. Safe for use by several threads.
 */
public interface Reservation {

	/**
	 * The time to wait before acting, until all reserved permits are earned.
	 * @return the time from the moment of the reservation; zero if there were enough
	 * permits
	 */
	Duration timeToAct();

	/**
	 * The decisions of all buckets.
	 * @return a verdict that allows
	 */
	Verdict verdict();

	/**
	 * Refunds the difference that the reservation still makes, except for permits that
	 * later reservations rely on. These are not refunded either if the later reservations
	 * are canceled afterwards, so cancel the latest reservation first. Further calls do
	 * nothing.
	 */
	void cancel();

}
