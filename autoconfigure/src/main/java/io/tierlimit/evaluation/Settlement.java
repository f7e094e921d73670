package io.tierlimit.evaluation;

import java.util.ArrayList;
import java.util.List;

import io.tierlimit.key.KeyBuilder;
import io.tierlimit.rule.Charging;
import io.tierlimit.rule.Ending;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.Charge;

import org.jspecify.annotations.Nullable;

/**
 * What is to be done when a request has ended, because of how it did.
 *
 * @param full buckets that are full again
 * @param free charges that are given back; none on a bucket that is full again
 */
record Settlement(List<BucketKey> full, List<Charge> free) {

	/** Settles what was charged by rules to which the ending matters. */
	static Settlement of(List<RuleDecision> open, Ending ending) {
		List<BucketKey> full = new ArrayList<>(0);
		List<Charge> free = new ArrayList<>(0);
		for (RuleDecision decision : open) {
			Charging charging = decision.rule().charging();
			BucketKey own = resets(decision, ending) ? ownBucket(decision) : null;
			if (own != null) {
				full.add(own);
			}
			else if (!charging.charges(ending)) {
				free.add(decision.charge());
			}
		}
		return new Settlement(full, free);
	}

	private static boolean resets(RuleDecision decision, Ending ending) {
		ResetTerms terms = decision.resetTerms();
		return terms != null && terms.allow(decision.rule().charging(), ending, decision.charge().key().key());
	}

	/**
	 * The bucket that a request may make full; {@code null} if it is not its account's
	 * alone, because the address stands in for that, or because there was no room for a
	 * bucket of its own.
	 */
	private static @Nullable BucketKey ownBucket(RuleDecision decision) {
		BucketKey taken = decision.charge().key();
		String rule = decision.rule().id();
		boolean shared = KeyBuilder.hasStandIn(taken.key()) || !(decision.local() || taken.rule().equals(rule));
		return shared ? null : new BucketKey(rule, taken.key(), taken.owner());
	}

}
