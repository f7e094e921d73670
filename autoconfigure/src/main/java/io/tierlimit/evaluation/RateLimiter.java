package io.tierlimit.evaluation;

import java.util.List;

/**
 * Limits by program: in a service, a job, a listener, before a call to a third party.
 * Takes from the same buckets as the filter, by rule id and key. The rule's condition,
 * its own cost and what selects requests don't matter here. Nothing waits.
 */
public final class RateLimiter {

	private final RateLimitEvaluator evaluator;

	/**
	 * Creates a limiter.
	 * @param evaluator decides
	 */
	public RateLimiter(RateLimitEvaluator evaluator) {
		this.evaluator = evaluator;
	}

	/**
	 * Takes what all claims ask, or nothing.
	 * @param claims what is asked, decided together
	 * @return the verdict that allows it
	 * @throws RateLimitExceededException if a bucket doesn't have enough permits
	 * @throws IllegalArgumentException if there is no such rule, or a key doesn't have
	 * the parts of its rule
	 */
	public Verdict acquire(Claim... claims) {
		Verdict verdict = tryAcquire(claims);
		if (!verdict.allowed()) {
			throw new RateLimitExceededException(verdict);
		}
		return verdict;
	}

	/**
	 * Takes what all claims ask, or nothing.
	 * @param claims what is asked, decided together
	 * @return the verdict
	 * @throws IllegalArgumentException if there is no such rule, or a key doesn't have
	 * the parts of its rule
	 */
	public Verdict tryAcquire(Claim... claims) {
		return this.evaluator.acquire(List.of(claims));
	}

	/**
	 * Answers as {@link #tryAcquire} would for each claim alone, and takes nothing.
	 * @param claims what would be asked
	 * @return a verdict that allows if every claim alone would pass
	 * @throws IllegalArgumentException if there is no such rule, or a key doesn't have
	 * the parts of its rule
	 */
	public Verdict peek(Claim... claims) {
		return this.evaluator.peek(List.of(claims));
	}

	/**
	 * Gives back what was taken, up to the capacity. What was taken in a store that can't
	 * be reached stays taken.
	 * @param claims what was taken, each to be given back at most once
	 * @throws IllegalArgumentException if there is no such rule, or a key doesn't have
	 * the parts of its rule
	 */
	public void refund(Claim... claims) {
		this.evaluator.refund(List.of(claims));
	}

	/**
	 * Makes buckets full.
	 * @param claims the buckets; their costs don't matter
	 * @return whether it is done: not if the store can't be reached
	 * @throws IllegalArgumentException if there is no such rule, or a key doesn't have
	 * the parts of its rule
	 */
	public boolean reset(Claim... claims) {
		return this.evaluator.reset(List.of(claims));
	}

	/**
	 * Makes all buckets of a rule full, one by one: for operators, not for requests.
	 * @param rule the rule's id
	 * @return whether it is done: not if the store can't be reached, or has so many
	 * buckets that it gave up; those that were met are full
	 * @throws IllegalArgumentException if there is no such rule
	 */
	public boolean resetAll(String rule) {
		return this.evaluator.resetAll(rule);
	}

}
