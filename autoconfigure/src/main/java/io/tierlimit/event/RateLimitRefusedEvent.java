package io.tierlimit.event;

import java.time.Duration;
import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * A rule has refused a request or a call, or would have in shadow mode. Published to the
 * application's listeners, in the thread of the request; not for every refusal, but now
 * and then for every bucket, so that an attack doesn't flood them. Meters count all.
 *
 * @param rule the rule's id
 * @param key the key of the bucket as it is stored, with hidden parts hashed; empty for a
 * rule with one bucket
 * @param plan the caller's plan if the rule tells plans apart, or {@code null}
 * @param shadow whether the rule is in shadow mode, and refused nothing
 * @param cost permits that were asked for
 * @param retryAfter time until a request of the same cost would pass; {@code null} if it
 * never can
 * @param ip what counts as the client's address, or {@code null}
 * @param user the user, or {@code null} for an anonymous caller and for one who was
 * refused before he was authenticated
 * @param endpoint the mapping that was asked for, or {@code null}
 * @param at when, by the clock of this instance
 */
public record RateLimitRefusedEvent(String rule, String key, @Nullable String plan, boolean shadow, long cost,
		@Nullable Duration retryAfter, @Nullable String ip, @Nullable String user, @Nullable String endpoint,
		Instant at) {

}
