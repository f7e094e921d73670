package io.tierlimit;

/**
 * Limits by program: in a service, a job, a listener, before a call to a third party.
 * Acquires permits from the same buckets as the filter, by rule id and key. The rule's
 * condition, its own cost and what selects requests do not matter. No method waits:
 * {@link #reserve} returns how long to wait.
 */
public interface RateLimiter {

	/**
	 * Acquires all permits, or none.
	 * @param requests the permits, decided together
	 * @return the verdict that allows it
	 * @throws RateLimitExceededException if a bucket doesn't have enough permits
	 * @throws IllegalArgumentException if there is no such rule, or a key doesn't have
	 * the parts of its rule
	 */
	Verdict acquire(PermitRequest... requests);

	/**
	 * Acquires all permits, or none.
	 * @param requests the permits, decided together
	 * @return the verdict
	 * @throws IllegalArgumentException if there is no such rule, or a key doesn't have
	 * the parts of its rule
	 */
	Verdict tryAcquire(PermitRequest... requests);

	/**
	 * Acquires all permits, or reserves them, or does nothing. A bucket may owe as many
	 * permits as {@code max-reserved} of its rule. Does not wait: the caller waits for
	 * {@link Reservation#timeToAct()} and then acts, or cancels.
	 * @param requests the permits, decided together; a cost may be above the capacity of
	 * a bucket
	 * @return the reservation
	 * @throws RateLimitExceededException if a bucket would owe too much
	 * @throws IllegalArgumentException if there is no such rule, or a key doesn't have
	 * the parts of its rule
	 */
	Reservation reserve(PermitRequest... requests);

	/**
	 * Decides like {@link #tryAcquire} for each request alone, and acquires nothing.
	 * @param requests the permits
	 * @return a verdict that allows if every request alone would be allowed
	 * @throws IllegalArgumentException if there is no such rule, or a key doesn't have
	 * the parts of its rule
	 */
	Verdict peek(PermitRequest... requests);

	/**
	 * Adds permits up to the capacity, whatever was consumed. Permit requests do not show
	 * whether and where permits were consumed; a verdict does, see
	 * {@link #refund(Verdict)}.
	 * @param requests the permits, each to be refunded at most once
	 * @throws IllegalArgumentException if there is no such rule, or a key doesn't have
	 * the parts of its rule
	 */
	void refund(PermitRequest... requests);

	/**
	 * Refunds the difference that each charge of the verdict still makes, where the
	 * permits were consumed: in the store that instances share or, if that could not be
	 * reached then, in this instance.
	 * @param verdict a verdict of this limiter, to be refunded at most once; one that has
	 * consumed nothing, such as a rejection or that of {@link #peek}, refunds nothing
	 * @throws IllegalArgumentException if no limiter has made the verdict
	 */
	void refund(Verdict verdict);

	/**
	 * Makes buckets full.
	 * @param requests the buckets; their costs do not matter
	 * @return whether it is done: not if the store can't be reached
	 * @throws IllegalArgumentException if there is no such rule, or a key doesn't have
	 * the parts of its rule
	 */
	boolean reset(PermitRequest... requests);

	/**
	 * Makes all buckets of a rule full, one by one: for operators, not for requests.
	 * @param rule the rule's id
	 * @return whether it is done: not if the store can't be reached, or has too many
	 * buckets to reset all of them; those that were found are full
	 * @throws IllegalArgumentException if there is no such rule
	 */
	boolean resetAll(String rule);

}
