package io.tierlimit.actuate;

import java.time.Duration;
import java.time.Instant;

import io.tierlimit.actuate.LastDecisions.Last;
import io.tierlimit.evaluation.RuleDecision;
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
 * @param last what this instance decided last on it, if that is remembered
 */
public record BucketDescriptor(String rule, String key, @Nullable String plan, long tokens, long capacity,
		Duration full, Duration nextToken, boolean empty, boolean local, @Nullable LastDescriptor last) {

	static BucketDescriptor of(RuleDecision bucket, @Nullable Last last) {
		Decision decision = bucket.decision();
		return new BucketDescriptor(bucket.rule().id(), bucket.charge().key().key(), bucket.plan(),
				decision.remaining(), bucket.charge().limit().capacity(), decision.resetAfter(),
				decision.nextPermitAfter(), decision.remaining() == 0, bucket.local(),
				(last != null) ? LastDescriptor.of(last) : null);
	}

	/**
	 * What was decided last.
	 *
	 * @param outcome what became of the request under the rule
	 * @param admitted whether the request could go on, by all rules
	 * @param cost permits that it asked for
	 * @param at when, by the clock of this instance
	 */
	public record LastDescriptor(String outcome, boolean admitted, long cost, Instant at) {

		static LastDescriptor of(Last last) {
			return new LastDescriptor(Words.of(last.decision().outcome()), last.admitted(),
					last.decision().charge().cost(), last.at());
		}

	}

}
