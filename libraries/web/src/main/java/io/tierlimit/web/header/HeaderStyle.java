package io.tierlimit.web.header;

import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;

import io.tierlimit.limit.Decision;
import org.jspecify.annotations.Nullable;

/**
 * A style of the headers that report limits to callers.
 */
@SuppressWarnings("ImmutableEnumChecker") // lists and functions are immutable
public enum HeaderStyle {

	/**
	 * {@code RateLimit-Policy} and {@code RateLimit} as in
	 * draft-ietf-httpapi-ratelimit-headers-11, for every rule.
	 */
	DRAFT_11(List.of(
			new LimitHeader("RateLimit-Policy", false,
					"The quota (q) of each rate limit, and its window in seconds (w) or, if it limits the requests in "
							+ "progress, its unit (qu)."),
			new LimitHeader("RateLimit", false,
					"For each rate limit, the remaining requests (r). If r is above 0, t is the seconds in which they can be "
							+ "sent; otherwise the seconds until the next request. Without t, the time is not known."))),

	/**
	 * {@code RateLimit-Limit}, {@code RateLimit-Remaining} and {@code RateLimit-Reset} as
	 * in draft-ietf-httpapi-ratelimit-headers-06, of the rule closest to rejection. Rules
	 * with a concurrency limit are omitted, because they have no time of a reset. On a
	 * rejection, the reset equals {@code Retry-After}, because some clients wait for the
	 * longer time.
	 */
	DRAFT_06("RateLimit-",
			"The seconds until this rate limit is full again or, if the request is rejected, the value of Retry-After.",
			(decision, wait, clock) -> (wait > 0) ? wait : RateLimitHeaders.seconds(decision.resetTicks())),

	/**
	 * {@code X-RateLimit-Limit}, {@code X-RateLimit-Remaining} and
	 * {@code X-RateLimit-Reset} of the rule closest to rejection, except rules with a
	 * concurrency limit. The reset is a time in seconds since the epoch.
	 */
	X_RATELIMIT("X-RateLimit-", "When this rate limit is full again, as a time in seconds since the epoch.",
			(decision, wait, clock) -> epochSecond(clock.instant().plus(decision.resetAfter()))),

	/**
	 * The headers of {@link #X_RATELIMIT}. The reset is in seconds from now.
	 */
	X_RATELIMIT_DELTA("X-RateLimit-", "The seconds until this rate limit is full again.",
			(decision, wait, clock) -> RateLimitHeaders.seconds(decision.resetTicks()));

	private final List<LimitHeader> headers;

	/** {@code null} if the style describes every rule. */
	private final @Nullable ResetValue reset;

	HeaderStyle(List<LimitHeader> headers) {
		this.headers = headers;
		this.reset = null;
	}

	/**
	 * Creates a style with three headers that describe one rule.
	 */
	HeaderStyle(String prefix, String resetDescription, ResetValue reset) {
		this.headers = List.of(
				new LimitHeader(prefix + "Limit", true, "The capacity of the rate limit that is nearest to rejecting."),
				new LimitHeader(prefix + "Remaining", true, "The remaining requests of this rate limit."),
				new LimitHeader(prefix + "Reset", true, resetDescription));
		this.reset = reset;
	}

	/**
	 * Checks whether styles can be written together.
	 * @param styles the styles; an element is {@code null} if its text was empty
	 * @throws IllegalArgumentException if one of them is {@code null}, or two of them
	 * have the same headers
	 */
	public static void check(Collection<? extends @Nullable HeaderStyle> styles) {
		if (styles.stream().anyMatch(Objects::isNull)) {
			throw new IllegalArgumentException("one of the styles is empty");
		}
		Map<String, HeaderStyle> writers = new HashMap<>();
		for (HeaderStyle style : new TreeSet<>(styles)) {
			for (LimitHeader header : style.headers) {
				HeaderStyle other = writers.put(header.name().toLowerCase(Locale.ROOT), style);
				if (other != null) {
					throw new IllegalArgumentException(other.propertyValue() + " and " + style.propertyValue()
							+ " write the same headers, so only one of them is possible");
				}
			}
		}
	}

	private String propertyValue() {
		return name().toLowerCase(Locale.ROOT).replace('_', '-');
	}

	/**
	 * The headers of the style.
	 * @return the headers in the order in which they are written; styles that can be
	 * written together have different headers
	 */
	public List<LimitHeader> headers() {
		return this.headers;
	}

	/**
	 * Whether the style describes every rule. Other styles describe the rule closest to
	 * rejection, and no rule with a concurrency limit.
	 * @return whether all rules have a header
	 */
	public boolean describesEveryRule() {
		return this.reset == null;
	}

	/**
	 * Calculates the third header of a style that describes one rule.
	 * @param decision the decision of this rule
	 * @param wait the value of {@code Retry-After}; 0 if it is not written
	 * @param clock the current time
	 */
	long reset(Decision decision, long wait, InstantSource clock) {
		return Objects.requireNonNull(this.reset).of(decision, wait, clock);
	}

	private static long epochSecond(Instant time) {
		return (time.getNano() > 0) ? time.getEpochSecond() + 1 : time.getEpochSecond();
	}

	/**
	 * Calculates the third header in seconds, rounded up.
	 */
	@FunctionalInterface
	private interface ResetValue {

		long of(Decision decision, long wait, InstantSource clock);

	}

}
