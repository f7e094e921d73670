package io.tierlimit.test;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

import org.assertj.core.api.AbstractAssert;
import org.jspecify.annotations.Nullable;

/**
 * Assertions about the rate limits in a response. Failure messages contain its status,
 * {@code Retry-After}, {@code RateLimit} and {@code violated-policies}.
 *
 * @see RateLimitAssertions
 */
public final class RateLimitAssert extends AbstractAssert<RateLimitAssert, RateLimitResponse> {

	private static final Pattern SECONDS = Pattern.compile("\\d{1,18}");

	RateLimitAssert(@Nullable RateLimitResponse actual) {
		super(actual, RateLimitAssert.class);
	}

	/**
	 * Verifies that the request was rejected because of a limit: the status is 429.
	 * @return this
	 */
	public RateLimitAssert isRateLimited() {
		if (response().status() != 429) {
			fail("a response to a rejected request, with status 429");
		}
		return this;
	}

	/**
	 * Verifies that no limit rejected the request: the status is not 429.
	 * @return this
	 */
	public RateLimitAssert isNotRateLimited() {
		if (response().status() == 429) {
			fail("a response to an allowed request, with another status than 429");
		}
		return this;
	}

	/**
	 * Verifies the status.
	 * @param status the expected status code
	 * @return this
	 */
	public RateLimitAssert hasStatus(int status) {
		if (response().status() != status) {
			fail("status " + status);
		}
		return this;
	}

	/**
	 * Verifies the rules that the request violates, by {@code violated-policies} in the
	 * body and by the header {@code RateLimit}. If the response has both, both must list
	 * these rules. Neither lists a rule with {@code headers: hidden}.
	 * @param rules the ids of exactly these rules, in any order
	 * @return this
	 */
	public RateLimitAssert violates(String... rules) {
		isRateLimited();
		List<String> inBody = response().violatedPolicies();
		Map<String, Long> inHeader = response().remaining();
		Set<String> expected = Set.of(rules);
		if (inBody == null && inHeader == null) {
			fail("violated rules " + List.of(rules) + ", but neither the body nor RateLimit lists violated rules");
		}
		if (differs(inBody, expected) || (inHeader != null && differs(inHeader.keySet(), expected))) {
			fail("violated rules " + List.of(rules));
		}
		return this;
	}

	private static boolean differs(@Nullable Collection<String> rules, Set<String> expected) {
		return rules != null && !Set.copyOf(rules).equals(expected);
	}

	/**
	 * Verifies {@code Retry-After}: a client that waits for this time is allowed, unless
	 * other clients consume permits from the same bucket.
	 * @param wait the expected wait; the header has whole seconds
	 * @return this
	 */
	public RateLimitAssert retryAfter(Duration wait) {
		String seconds = response().header("Retry-After");
		if (seconds == null || !SECONDS.matcher(seconds).matches()
				|| !Duration.ofSeconds(Long.parseLong(seconds)).equals(wait)) {
			fail("Retry-After of " + wait + ", in whole seconds");
		}
		return this;
	}

	/**
	 * Verifies that there is no {@code Retry-After}: the request was allowed, it can
	 * never be allowed because its cost exceeds the capacity of a bucket, or it is not
	 * known when it is allowed because all permits of a concurrency limit are in use.
	 * @return this
	 */
	public RateLimitAssert hasNoRetryAfter() {
		if (response().header("Retry-After") != null) {
			fail("no Retry-After");
		}
		return this;
	}

	/**
	 * Verifies the remaining permits in the bucket of a rule, from {@code RateLimit}.
	 * Requires {@code draft-11} in {@code tierlimit.headers.styles}, which is the
	 * default.
	 * @param rule the rule's id
	 * @param permits the expected permits
	 * @return this
	 */
	public RateLimitAssert hasRemaining(String rule, long permits) {
		Map<String, Long> remaining = response().remaining();
		if (remaining == null || !Long.valueOf(permits).equals(remaining.get(rule))) {
			fail("rule '" + rule + "' in RateLimit with remaining permits: " + permits);
		}
		return this;
	}

	private RateLimitResponse response() {
		isNotNull();
		return this.actual;
	}

	private void fail(String expectation) {
		throw failure("%nExpected: %s%nbut the response has%n  %s", expectation, this.actual);
	}

}
