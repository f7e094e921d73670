package io.tierlimit.actuate;

import java.time.Instant;

import io.tierlimit.RuleDecision;
import io.tierlimit.offender.Offender;
import org.jspecify.annotations.Nullable;

/**
 * A key that a rule has rejected often.
 *
 * @param key the key of the bucket as it is stored, with hidden parts hashed; empty for a
 * rule with one bucket
 * @param atLeast the lower bound of the number of rejections
 * @param atMost the upper bound of the number of rejections
 * @param bucket the current state of the bucket; absent if the store is not available, or
 * the plan is now unlimited
 */
record OffenderDescriptor(String key, long atLeast, long atMost, @Nullable BucketDescriptor bucket) {

	static OffenderDescriptor of(Offender offender, @Nullable RuleDecision bucket, Instant now) {
		return new OffenderDescriptor(offender.key(), offender.atLeast(), offender.atMost(),
				(bucket != null) ? BucketDescriptor.of(bucket, null, now) : null);
	}

}
