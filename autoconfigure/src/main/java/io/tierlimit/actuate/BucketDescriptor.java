package io.tierlimit.actuate;

import java.time.Duration;

import io.tierlimit.RuleDecision;
import io.tierlimit.limit.Decision;
import org.jspecify.annotations.Nullable;

/**
 * How a bucket stands.
 *
 * @param rule the id of its rule
 * @param key the key as it is stored, with hidden parts hashed; empty for a rule with one
 * bucket
 * @param plan the plan, if the rule tells plans apart
 * @param tokens whole permits left
 * @param capacity permits in the full bucket
 * @param full time until it is full; zero if it is
 * @param nextToken time until there is one whole permit more; zero if it is full
 * @param empty whether there is not one whole permit left
 * @param local whether this is what this instance grants by itself, because the store
 * can't be reached
 */
public record BucketDescriptor(String rule, String key, @Nullable String plan, long tokens, long capacity,
		Duration full, Duration nextToken, boolean empty, boolean local) {

	static BucketDescriptor of(RuleDecision bucket) {
		Decision decision = bucket.decision();
		return new BucketDescriptor(bucket.rule(), bucket.key(), bucket.plan(), decision.remaining(),
				bucket.limit().capacity(), decision.resetAfter(), decision.nextPermitAfter(), decision.remaining() == 0,
				bucket.local());
	}

}
