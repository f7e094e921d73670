package io.tierlimit;

/**
 * The cost of a request, or of permits that code has acquired, under a rule with
 * {@code actual-cost}. The permits were acquired for an estimate. Code reports the actual
 * cost, once it is known, or the total so far. Implementations are thread-safe, and can
 * be used by any thread until the request or the operation ends.
 * <p>
 * If the rule has not charged the request, for example because the caller's plan is
 * unlimited, nothing that is reported has an effect.
 */
public interface EstimatedCost {

	/**
	 * Reports the permits that were used so far. May be called any number of times, for
	 * example for each part of a response. Never blocks. As long as the total is not
	 * above the estimate, nothing is sent to the store. Above the estimate, the
	 * difference is consumed in the background, at most once per second and for all
	 * requests of this instance together. Metered permits are never refunded.
	 * @param total the permits since the beginning, 0 or more. A total below an earlier
	 * total is ignored
	 * @return whether the bucket owed the rule's {@code max-debt} when it was last
	 * charged: the operation should end, because further permits cannot be charged.
	 * {@code false} if the rule is in shadow mode
	 * @throws IllegalArgumentException if the total is negative
	 */
	boolean meter(long total);

	/**
	 * Sets the actual cost. Within a request, the cost is settled when the response is
	 * complete, otherwise at once. If the actual cost is below the estimate, the bucket
	 * gets the difference back. If it is above, the difference is consumed, up to the
	 * {@code max-debt} of the rule.
	 * @param actual permits, 0 or more. If more were metered, the metered total applies
	 * @return whether the cost is settled by this call: {@code false} if it was already
	 * settled or refunded, or if the request has ended
	 * @throws IllegalArgumentException if the cost is negative
	 */
	boolean settle(long actual);

}
