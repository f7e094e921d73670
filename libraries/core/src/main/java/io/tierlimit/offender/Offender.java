package io.tierlimit.offender;

import org.jspecify.annotations.Nullable;

/**
 * A key that a rule has rejected often. The two counts differ only if the rule has
 * rejected more keys than it has counters.
 *
 * @param key the key of the bucket as it is stored, with sensitive parts hashed; empty
 * for a rule with one bucket
 * @param plan the plan that the bucket belongs to, if the rule distinguishes plans
 * @param atLeast a lower bound of the number of rejections, 0 or more
 * @param atMost an upper bound of the number of rejections, 1 or more
 */
public record Offender(String key, @Nullable String plan, long atLeast, long atMost) {

}
