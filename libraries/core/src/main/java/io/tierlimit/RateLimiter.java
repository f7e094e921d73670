package io.tierlimit;

import java.time.Duration;
import java.util.List;

import io.tierlimit.standalone.StandaloneRateLimiter;
import io.tierlimit.store.BucketStore;

/**
 * Limits operations in code, such as a method of a service, a job, a listener, or a call
 * to a third party. Acquires permits from the same buckets as the filter, by rule id and
 * key. The rule's condition, its own cost and its request selectors have no effect. Only
 * {@link #await} and {@link #hold} wait. Rules with {@code algorithm: concurrency} limit
 * permits in use at the same time: only {@link #hold} acquires their permits. If a rule
 * is disabled, or was removed while the application runs, requests for its permits are
 * allowed without a decision.
 */
public interface RateLimiter {

	/**
	 * Creates a limiter for a program without Spring Boot. The limiter has no key
	 * resolvers, plan resolvers or listeners: each permit request contains the parts of
	 * the key and the plan. Keys are hashed without a secret. At most 100 threads wait in
	 * {@link #await} at the same time.
	 * @param store the store of the buckets, which the caller must close
	 * @param rules the rules, which cannot be changed later. Properties that need Spring
	 * Boot, such as {@code adaptive}, are not valid
	 * @return the limiter
	 * @throws IllegalArgumentException if a rule is not valid; the message contains the
	 * problems of all rules
	 */
	static RateLimiter of(BucketStore store, RuleDefinition... rules) {
		return StandaloneRateLimiter.of(store, List.of(rules));
	}

	/**
	 * Acquires all permits, or none.
	 * @param requests the requests, which are decided together
	 * @return the verdict, which allows the requests
	 * @throws RateLimitExceededException if a bucket does not have enough permits
	 * @throws IllegalArgumentException if a rule does not exist, if the parts of a
	 * request do not match the key of its rule, or if a rule has
	 * {@code algorithm: concurrency}: use {@link #hold} for such a rule
	 */
	Verdict acquire(PermitRequest... requests);

	/**
	 * Acquires all permits, or none.
	 * @param requests the requests, which are decided together
	 * @return the verdict
	 * @throws IllegalArgumentException if a rule does not exist, if the parts of a
	 * request do not match the key of its rule, or if a rule has
	 * {@code algorithm: concurrency}: use {@link #hold} for such a rule
	 */
	Verdict tryAcquire(PermitRequest... requests);

	/**
	 * Acquires all permits, or none. If a bucket does not have enough permits yet, the
	 * current thread waits for them, at most for the {@code max-wait} of the rule.
	 * @param requests the requests, which are decided together
	 * @return the verdict, which allows the requests; the permits are available
	 * @throws RateLimitExceededException at once if the permits are not available within
	 * {@code max-wait} (by default 0), if too many requests and calls of this instance
	 * are waiting ({@code tierlimit.web.max-waiting}), or if the store is unavailable and
	 * a rule denies requests in this case. At the end of the wait if
	 * {@link #syncRemaining} has lowered a bucket during the wait, and the next permit is
	 * more than {@code max-wait} away. In this case, the permits are not refunded,
	 * because the lowered level includes them. A lowered bucket is not detected if its
	 * rule has {@code max-reserved}
	 * @throws java.util.concurrent.CancellationException if the thread is interrupted
	 * while it waits. The permits are refunded, and the interrupt status of the thread is
	 * set
	 * @throws IllegalArgumentException if a rule does not exist, if the parts of a
	 * request do not match the key of its rule, or if a rule has
	 * {@code algorithm: concurrency}: use {@link #hold} for such a rule
	 */
	Verdict await(PermitRequest... requests);

	/**
	 * Acquires or reserves all permits, or none. Each bucket can owe at most the number
	 * of permits that its rule sets as {@code max-reserved}. Does not wait: the caller
	 * waits for {@link Reservation#delay()} and then acts, or cancels the reservation.
	 * @param requests the requests, which are decided together; a cost may be above the
	 * capacity of a bucket
	 * @return the reservation
	 * @throws RateLimitExceededException if a bucket would owe too many permits
	 * @throws IllegalArgumentException if a rule does not exist, if the parts of a
	 * request do not match the key of its rule, or if a rule has
	 * {@code algorithm: concurrency}: use {@link #hold} for such a rule
	 */
	Reservation reserve(PermitRequest... requests);

	/**
	 * Acquires all permits, or none, and holds the permits of rules with
	 * {@code algorithm: concurrency} until the returned object is closed. The requests
	 * may name rules of all algorithms together. The permits of the other rules are
	 * consumed, and closing the returned object does not refund them.
	 * <p>
	 * If permits are in use, the current thread waits until they are released, at most
	 * for the {@code max-wait} of the rule, which is 0 by default. If several rules are
	 * violated, the shortest {@code max-wait} applies. The thread does not wait if
	 * another rule rejects the requests. While it waits, it holds no permits, and its
	 * requests are decided again at most ten times a second. Requests and calls of this
	 * instance for the same key are allowed in the order of their arrival; the order of
	 * several instances is not defined. If the permits of a rate are available within the
	 * {@code max-wait} of its rule, as for {@link #await}, the permits in use are
	 * acquired first, and held while the thread waits for the rate. The two waits add up.
	 * <pre class="code">
	 * try (Hold hold = limiter.hold(PermitRequest.of("exports").user(user))) {
	 *     export();
	 * }</pre>
	 * <p>
	 * Each call holds its own permits, so a nested call needs further permits. With a
	 * limit of 1, a nested call with the same key is rejected. If all rules are disabled,
	 * were removed, or have an unlimited plan, the requests are allowed without a
	 * decision, and closing the returned object has no effect.
	 * @param requests the requests, which are decided together
	 * @return the permits, which are in use until it is closed
	 * @throws RateLimitExceededException if a bucket does not have enough permits at the
	 * end of the wait, or if too many requests and calls of this instance are waiting
	 * ({@code tierlimit.web.max-waiting})
	 * @throws java.util.concurrent.CancellationException if the thread is interrupted
	 * while it waits. No permits are held, and the interrupt status of the thread is set
	 * @throws IllegalArgumentException if a rule does not exist, or the parts of a
	 * request do not match the key of its rule
	 */
	Hold hold(PermitRequest... requests);

	/**
	 * Decides each request on its own, as {@link #tryAcquire} would, but acquires
	 * nothing.
	 * @param requests the permits
	 * @return a verdict that is allowed if each request on its own would be allowed
	 * @throws IllegalArgumentException if a rule does not exist, or the parts of a
	 * request do not match the key of its rule
	 */
	Verdict peek(PermitRequest... requests);

	/**
	 * Adds permits to buckets, up to their capacity, even if the permits were never
	 * consumed. Prefer {@link #refund(Verdict)}: a verdict records which buckets were
	 * charged, a permit request does not.
	 * @param requests the permits; refund each of them at most once
	 * @throws IllegalArgumentException if a rule does not exist, if the parts of a
	 * request do not match the key of its rule, or if a rule has
	 * {@code algorithm: concurrency}: use {@link #hold} for such a rule
	 */
	void refund(PermitRequest... requests);

	/**
	 * Refunds each charge of the verdict: the bucket gets back the permits that it would
	 * now have without the charge. The refund goes to the bucket that was charged: in the
	 * shared store or, if the store could not be reached at the time of the charge, in
	 * this instance. Permits of a {@link Hold} that are still in use are released.
	 * @param verdict a verdict of this limiter; refund it at most once. A verdict without
	 * charges, such as a rejection or the verdict of {@link #peek}, refunds nothing
	 * @throws IllegalArgumentException if the verdict was not returned by a limiter
	 */
	void refund(Verdict verdict);

	/**
	 * The cost of the current request under a rule with {@code actual-cost}, so that code
	 * reports what the request has used. Call this method in a thread that serves the
	 * request. Any thread may use the returned object.
	 * @param rule the rule's id
	 * @return the cost; the same for each call within the request
	 * @throws IllegalStateException if the current thread serves no web request
	 * @throws IllegalArgumentException if the rule does not exist, or does not have
	 * {@code actual-cost}
	 */
	EstimatedCost estimatedCost(String rule);

	/**
	 * The cost of permits that code has acquired, under a rule with {@code actual-cost}.
	 * The expression is not evaluated, because there is no request: without a report, the
	 * acquired permits are the actual cost.
	 * @param verdict a verdict of this limiter
	 * @param rule the rule's id
	 * @return the cost of all permits of the rule in the verdict
	 * @throws IllegalArgumentException if the rule does not exist, or does not have
	 * {@code actual-cost}, or if the verdict was not returned by a limiter
	 */
	EstimatedCost estimatedCost(Verdict verdict, String rule);

	/**
	 * Lowers a bucket to the level that another party reports, such as the provider of an
	 * API, which counts the same calls. Never raises the level. If several instances
	 * report at the same time, the level may become lower than reported, but the next
	 * permit comes no later. If other calls keep changing the bucket at the same time,
	 * its level may stay above the reported level until the next report. Has no effect on
	 * a bucket without a limit.
	 * @param request selects the bucket; its cost is ignored
	 * @param remaining the permits that are left, 0 or more
	 * @param wait the time until the next permit if none is left; zero if the time is
	 * unknown. More than an hour is treated as an hour. The time has an effect only for
	 * the token bucket and the leaky bucket; the buckets of other algorithms are only
	 * emptied
	 * @throws IllegalArgumentException if a number is negative, if the rule does not
	 * exist, if the key does not have the parts of its rule, or if the rule has
	 * {@code algorithm: concurrency}
	 */
	void syncRemaining(PermitRequest request, long remaining, Duration wait);

	/**
	 * Resets buckets: they are full afterwards.
	 * @param requests select the buckets; their costs are ignored
	 * @return whether the buckets were reset; {@code false} if the store cannot be
	 * reached
	 * @throws IllegalArgumentException if a rule does not exist, or the parts of a
	 * request do not match the key of its rule
	 */
	boolean reset(PermitRequest... requests);

	/**
	 * Resets all buckets of a rule, one after the other. Intended for operators, because
	 * it takes too long for a request.
	 * @param rule the rule's id
	 * @return whether all buckets were reset; {@code false} if the store cannot be
	 * reached, or has too many buckets to find all of them. The buckets that were found
	 * are reset
	 * @throws IllegalArgumentException if the rule does not exist
	 */
	boolean resetAll(String rule);

}
