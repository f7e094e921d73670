package io.tierlimit;

import java.time.Duration;
import java.util.List;

import io.tierlimit.standalone.StandaloneRateLimiter;
import io.tierlimit.store.BucketStore;

/**
 * Limits for programs: in a service, a job, a listener, before a call to a third party.
 * Acquires permits from the same buckets as the filter, by rule id and key. The rule's
 * condition, its own cost and its request selectors have no effect. Only {@link #await}
 * waits. A rule that is disabled, or that was removed while the application ran, limits
 * nothing: its requests are allowed, without a decision.
 */
public interface RateLimiter {

	/**
	 * Creates a limiter for a program without Spring Boot. It has no key resolvers, plan
	 * resolvers and listeners, so a permit request contains the parts of the key and the
	 * plan. Keys are hashed without a secret. At most 100 threads wait in {@link #await}
	 * at the same time.
	 * @param store has the buckets; the caller closes it
	 * @param rules the rules, which cannot be changed later. Properties that need Spring
	 * Boot, such as {@code adaptive}, are not valid
	 * @return the limiter
	 * @throws IllegalArgumentException if a rule is not valid, with all problems of all
	 * rules
	 */
	static RateLimiter of(BucketStore store, RuleDefinition... rules) {
		return StandaloneRateLimiter.of(store, List.of(rules));
	}

	/**
	 * Acquires all permits, or none.
	 * @param requests the permits, decided together
	 * @return the verdict, which allows the requests
	 * @throws RateLimitExceededException if a bucket does not have enough permits
	 * @throws IllegalArgumentException if a rule does not exist, or a key does not have
	 * the parts of its rule
	 */
	Verdict acquire(PermitRequest... requests);

	/**
	 * Acquires all permits, or none.
	 * @param requests the permits, decided together
	 * @return the verdict
	 * @throws IllegalArgumentException if a rule does not exist, or a key does not have
	 * the parts of its rule
	 */
	Verdict tryAcquire(PermitRequest... requests);

	/**
	 * Acquires all permits, or none. If a bucket does not have enough permits yet, waits
	 * for them in this thread, at most for the {@code max-wait} of its rule.
	 * @param requests the permits, decided together
	 * @return the verdict, which allows the requests; the permits are available
	 * @throws RateLimitExceededException if the permits are not available within
	 * {@code max-wait}, which is none by default, or if too many requests and calls of
	 * this instance are waiting ({@code tierlimit.web.max-waiting}), or if the store is
	 * unavailable and a rule denies requests then: at once, without a wait. Also if a
	 * bucket was {@linkplain #syncRemaining lowered} during the wait for a longer time
	 * than {@code max-wait}: at the end of the wait, and its permits are not refunded,
	 * because the lowered level includes them. A rule with {@code max-reserved} does not
	 * notice this
	 * @throws java.util.concurrent.CancellationException if the thread is interrupted
	 * while it waits. The permits are refunded, and the thread is still interrupted
	 * @throws IllegalArgumentException if a rule does not exist, or a key does not have
	 * the parts of its rule
	 */
	Verdict await(PermitRequest... requests);

	/**
	 * Acquires or reserves all permits, or none. A bucket may owe as many permits as
	 * {@code max-reserved} of its rule. Does not wait: the caller waits for
	 * {@link Reservation#delay()} and then acts, or cancels.
	 * @param requests the permits, decided together; a cost may be above the capacity of
	 * a bucket
	 * @return the reservation
	 * @throws RateLimitExceededException if a bucket would owe too much
	 * @throws IllegalArgumentException if a rule does not exist, or a key does not have
	 * the parts of its rule
	 */
	Reservation reserve(PermitRequest... requests);

	/**
	 * Decides each request alone, like {@link #tryAcquire}, and acquires nothing.
	 * @param requests the permits
	 * @return a verdict that allows if every request alone would be allowed
	 * @throws IllegalArgumentException if a rule does not exist, or a key does not have
	 * the parts of its rule
	 */
	Verdict peek(PermitRequest... requests);

	/**
	 * Adds permits up to the capacity, whether or not they were consumed. A permit
	 * request does not show whether and where its permits were consumed; a verdict does,
	 * see {@link #refund(Verdict)}.
	 * @param requests the permits, each to be refunded at most once
	 * @throws IllegalArgumentException if a rule does not exist, or a key does not have
	 * the parts of its rule
	 */
	void refund(PermitRequest... requests);

	/**
	 * Refunds the difference that each charge of the verdict still makes, to the bucket
	 * that was charged: in the shared store or, if that could not be reached then, in
	 * this instance.
	 * @param verdict a verdict of this limiter, to be refunded at most once. A verdict
	 * that has consumed nothing, such as a rejection or the verdict of {@link #peek},
	 * refunds nothing
	 * @throws IllegalArgumentException if the verdict is not one of a limiter
	 */
	void refund(Verdict verdict);

	/**
	 * Lowers a bucket to the level that another party reports, such as the provider of an
	 * API, which counts the same calls. Never raises the level. If several instances
	 * report at the same time, the level may become lower than reported, but the next
	 * permit comes no later. If other calls use the bucket again and again meanwhile, the
	 * level may stay above the reported one until the next report. Has no effect on a
	 * bucket without a limit.
	 * @param request the bucket; its cost does not matter
	 * @param remaining the permits that are left, 0 or more
	 * @param wait if none is left, the time until the next one; zero if it is unknown. A
	 * longer time than an hour counts as an hour. Ignored for other algorithms than the
	 * token bucket and the leaky bucket: their buckets are only emptied
	 * @throws IllegalArgumentException if a number is negative, the rule does not exist,
	 * or the key does not have the parts of its rule
	 */
	void syncRemaining(PermitRequest request, long remaining, Duration wait);

	/**
	 * Resets buckets: they are full afterwards.
	 * @param requests the buckets; their costs do not matter
	 * @return whether the buckets were reset; {@code false} if the store cannot be
	 * reached
	 * @throws IllegalArgumentException if a rule does not exist, or a key does not have
	 * the parts of its rule
	 */
	boolean reset(PermitRequest... requests);

	/**
	 * Resets all buckets of a rule, one by one: for operators, not for requests.
	 * @param rule the rule's id
	 * @return whether all were reset; {@code false} if the store cannot be reached, or
	 * has too many buckets to reset all of them. The buckets that were found are full
	 * @throws IllegalArgumentException if the rule does not exist
	 */
	boolean resetAll(String rule);

}
