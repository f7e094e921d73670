package io.tierlimit;

import java.time.Duration;

/**
 * Reserved permits, and the time until they are available. The reservation precedes all
 * later requests, whatever their cost. Implementations are thread-safe. Permits of rules
 * with {@code algorithm: concurrency} cannot be reserved: {@link RateLimiter#hold}
 * acquires them.
 */
public interface Reservation {

	/**
	 * The time to wait until all reserved permits are available.
	 * @return the time, counted from the reservation; zero if enough permits were
	 * available
	 */
	Duration delay();

	/**
	 * The decisions of all buckets.
	 * @return a verdict that allows the requests
	 */
	Verdict verdict();

	/**
	 * Refunds the reservation: each bucket gets back the permits that it would now have
	 * without the reservation, except permits that later reservations rely on. If a later
	 * reservation is canceled afterwards, the excepted permits are still not refunded, so
	 * cancel the latest reservation first. Further calls have no effect.
	 */
	void cancel();

}
