package io.tierlimit.actuate;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import io.tierlimit.RuleDecision;
import io.tierlimit.limit.Ban;
import io.tierlimit.limit.Decision;
import io.tierlimit.store.PermitHolder;
import org.jspecify.annotations.Nullable;

/**
 * The state of a bucket.
 *
 * @param rule the id of its rule
 * @param key the key as it is stored, with hidden parts hashed; empty for a rule with one
 * bucket
 * @param plan the plan, if the rule distinguishes plans
 * @param permits remaining whole permits
 * @param capacity permits in the full bucket
 * @param fullIn time until the bucket is full; zero if it is full; absent if the limit is
 * a concurrency limit, because it is not known when permits are released
 * @param nextPermitIn time until another whole permit is available; zero if the bucket is
 * full; absent if the limit is a concurrency limit
 * @param empty whether less than one whole permit is left
 * @param local whether this is the local state of this instance, because the store is not
 * available
 * @param shadow true if the bucket rejects no request; absent otherwise
 * @param blocked true if an operator has blocked the caller; absent otherwise
 * @param bannedUntil the end of the ban, rounded to seconds; absent if the bucket is not
 * banned
 * @param bans the number of bans in a row, including this one; absent if the bucket is
 * not banned
 * @param holders the requests that hold permits, the oldest first; absent unless the
 * limit is a concurrency limit
 */
record BucketDescriptor(String rule, String key, @Nullable String plan, long permits, long capacity,
		@Nullable Duration fullIn, @Nullable Duration nextPermitIn, boolean empty, boolean local,
		@Nullable Boolean shadow, @Nullable Boolean blocked, @Nullable Instant bannedUntil, @Nullable Long bans,
		@Nullable List<PermitHolder> holders) {

	static BucketDescriptor of(RuleDecision bucket, @Nullable List<PermitHolder> holders, Instant now) {
		Decision decision = bucket.decision();
		Ban ban = decision.ban();
		boolean timed = !bucket.limit().algorithm().holdsPermits();
		return new BucketDescriptor(bucket.rule(), bucket.key(), bucket.plan(), decision.remaining(),
				bucket.limit().capacity(), timed ? decision.resetAfter() : null,
				timed ? decision.nextPermitAfter() : null, decision.remaining() == 0, bucket.local(),
				bucket.shadow() ? true : null, bucket.blocked() ? true : null,
				(ban != null) ? BanDescriptor.until(ban, now) : null, (ban != null) ? ban.number() : null, holders);
	}

}
