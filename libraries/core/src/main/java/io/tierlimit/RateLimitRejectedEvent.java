package io.tierlimit;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * Published after a rule has rejected a request or a call, or would have rejected it in
 * shadow mode. The application's event listeners are called in the thread that ends the
 * request. Events are throttled, so that an attack does not flood the listeners; meters
 * count all rejections.
 *
 * @param decision the decision of the rule, with the bucket, the cost and the wait, if
 * the wait is known
 * @param ip the client address, or {@code null}
 * @param user the user; {@code null} if the caller is anonymous, or was not authenticated
 * yet
 * @param endpoint the mapping of the request, such as {@code GET /orders/{id}}, or
 * {@code null}
 * @param at the time of the rejection, from the clock of this instance
 */
public record RateLimitRejectedEvent(RuleDecision decision, @Nullable String ip, @Nullable String user,
		@Nullable String endpoint, Instant at) {

}
