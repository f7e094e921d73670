package io.tierlimit;

import java.time.Duration;

/**
 * Permits that are reserved, and the time at which their owner may act. Later requests
 * wait behind a reservation, whatever their cost. Safe for use by several threads.
 */
public interface Reservation {

	/**
	 * The time to wait before acting: until all reserved permits have come.
	 * @return the time from the moment of the reservation; zero if there was enough
	 */
	Duration timeToAct();

	/**
	 * The decisions of all buckets.
	 * @return a verdict that allows
	 */
	Verdict verdict();

	/**
	 * Refunds the difference that the reservation still makes, except for permits that
	 * later reservations count on. These are not refunded if the later reservations are
	 * canceled afterwards: of several reservations the latest is to be canceled first.
	 * Further calls do nothing.
	 */
	void cancel();

}
