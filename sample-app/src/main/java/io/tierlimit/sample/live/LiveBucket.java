package io.tierlimit.sample.live;

import java.time.Duration;

import io.tierlimit.RuleDecision;
import io.tierlimit.limit.Algorithm;
import io.tierlimit.limit.Limit;

/**
 * A bucket as the page shows it.
 *
 * @param rule the rule's id
 * @param whose the callers that share it: all callers, an address, a user
 * @param capacity permits in the full bucket
 * @param level whole permits in the bucket
 * @param owed whole permits that the bucket owes, because costs were higher than their
 * estimates
 * @param held whether requests hold the permits until they end; otherwise, the bucket
 * refills
 * @param perSecond permits that are refilled per second; 0 if requests hold the permits
 * @param secondsToFull the seconds until the bucket is full, rounded up; 0 for a full
 * bucket, and if requests hold the permits
 */
record LiveBucket(String rule, String whose, long capacity, long level, long owed, boolean held, double perSecond,
		long secondsToFull) {

	private static final double TICKS = 1_000_000;

	static LiveBucket of(String whose, RuleDecision peeked) {
		Limit limit = peeked.limit();
		long level = peeked.decision().remaining();
		if (limit.algorithm() == Algorithm.CONCURRENCY) {
			// The times of the decision depend on max-duration, but exports end earlier.
			return new LiveBucket(peeked.rule(), whose, limit.capacity(), level, 0, true, 0, 0);
		}
		long missing = peeked.decision().resetTicks() * limit.capacity() / limit.timeToFull();
		return new LiveBucket(peeked.rule(), whose, limit.capacity(), level, Math.max(0, missing - limit.capacity()),
				false, limit.capacity() * TICKS / limit.timeToFull(), roundUp(peeked.decision().resetAfter()));
	}

	private static long roundUp(Duration time) {
		return time.plusSeconds(1).minusNanos(1).toSeconds();
	}

}
