package io.tierlimit.web.header;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.tierlimit.RuleDecision;
import io.tierlimit.Verdict;
import io.tierlimit.evaluation.TestDecision;
import io.tierlimit.limit.Concurrency;
import io.tierlimit.limit.Limit;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.TokenBucket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

import static io.tierlimit.web.header.RateLimitHeadersTests.allowed;
import static io.tierlimit.web.header.RateLimitHeadersTests.decision;
import static io.tierlimit.web.header.RateLimitHeadersTests.headers;
import static io.tierlimit.web.header.RateLimitHeadersTests.rejected;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests the headers of rules whose permits are in use until they are released.
 */
class ConcurrencyHeadersTests {

	private static final Concurrency FIVE = Concurrency.of(5, Duration.ofHours(1));

	private static final Concurrency WITH_HINT = FIVE.retryHint(Duration.ofSeconds(7));

	private static final Limit TEN_A_MINUTE = new TokenBucket(Rate.parse("10/m"));

	private static final Verdict ALLOWED = allowed(decision("exports", FIVE, 1, 1));

	private final RateLimitHeaders draft11 = headers(HeaderStyle.DRAFT_11);

	@Test
	void levelHasNoTimes() {
		assertThat(this.draft11.of(ALLOWED)).containsExactly(
				Map.entry("RateLimit-Policy", "\"exports\";q=5;qu=\"concurrent-requests\""),
				Map.entry("RateLimit", "\"exports\";r=3"));
	}

	@Test
	void lastPermitHasNoTimeEither() {
		assertThat(this.draft11.of(allowed(decision("exports", FIVE, 4, 1)))).containsEntry("RateLimit",
				"\"exports\";r=0");
	}

	@Test
	void headersAreStructuredFields() {
		Map<String, String> fields = this.draft11
			.of(allowed(decision("exports", FIVE, 1, 1), decision("search", TEN_A_MINUTE, 0, 1)));
		assertThat(RateLimitField.parse(fields.getOrDefault("RateLimit-Policy", "")))
			.containsEntry("exports", Map.of("q", 5L))
			.containsEntry("search", Map.of("q", 10L, "w", 60L));
		assertThat(RateLimitField.parse(fields.getOrDefault("RateLimit", ""))).containsEntry("exports", Map.of("r", 3L))
			.containsEntry("search", Map.of("r", 9L, "t", 54L));
	}

	@Test
	void rejectionWithoutAKnownWaitHasNoRetryAfter() {
		assertThat(this.draft11.of(rejected(decision("exports", FIVE, 5, 1)))).containsExactly(
				Map.entry("RateLimit-Policy", "\"exports\";q=5;qu=\"concurrent-requests\""),
				Map.entry("RateLimit", "\"exports\";r=0"));
	}

	@Test
	void hintIsTheWait() {
		assertThat(this.draft11.of(rejected(decision("exports", WITH_HINT, 5, 1))))
			.containsEntry("RateLimit", "\"exports\";r=0;t=7")
			.containsEntry("Retry-After", "7");
	}

	@Test
	void longestKnownWaitOfTheOtherRulesIsTheWait() {
		assertThat(this.draft11.of(rejected(decision("exports", FIVE, 5, 1), decision("a", TEN_A_MINUTE, 10, 1),
				decision("b", TEN_A_MINUTE, 10, 2))))
			.containsEntry("RateLimit", "\"exports\";r=0, \"a\";r=0;t=6, \"b\";r=0;t=12")
			.containsEntry("Retry-After", "12");
	}

	@Test
	void costAboveTheLimitCanNeverBeAllowed() {
		assertThat(this.draft11
			.of(rejected(decision("exports", WITH_HINT, 0, 6), decision("search", TEN_A_MINUTE, 10, 1))))
			.containsEntry("RateLimit", "\"exports\";r=0, \"search\";r=0;t=6")
			.doesNotContainKey("Retry-After");
	}

	@ParameterizedTest
	@EnumSource(mode = Mode.EXCLUDE, names = "DRAFT_11")
	void stylesOfOneRuleOmitConcurrency(HeaderStyle style) {
		assertThat(headers(style).of(ALLOWED)).isEmpty();
		assertThat(headers(style).of(rejected(decision("exports", FIVE, 5, 1)))).isEmpty();
		assertThat(headers(style).of(rejected(decision("exports", WITH_HINT, 5, 1))))
			.containsExactly(Map.entry("Retry-After", "7"));
	}

	@ParameterizedTest
	@EnumSource(mode = Mode.EXCLUDE, names = "DRAFT_11")
	void stylesOfOneRuleShowTheClosestOtherRule(HeaderStyle style) {
		RuleDecision search = decision("search", TEN_A_MINUTE, 0, 1);
		for (Verdict verdict : List.of(allowed(decision("exports", FIVE, 4, 1), search),
				allowed(search, decision("exports", FIVE, 4, 1)), rejected(decision("exports", FIVE, 5, 1), search))) {
			assertThat(headers(style).of(verdict)).containsEntry(style.headers().get(0).name(), "10")
				.containsEntry(style.headers().get(1).name(), "9");
		}
	}

	@Test
	void namesOfWrittenHeadersAreReturned() {
		RateLimitHeaders both = headers(HeaderStyle.DRAFT_11, HeaderStyle.DRAFT_06);
		RuleDecision hidden = new TestDecision("hidden", null, false, "", 1, TEN_A_MINUTE,
				decision("hidden", TEN_A_MINUTE, 10, 1).decision(), false, true);
		for (Verdict verdict : List.of(ALLOWED, rejected(decision("exports", FIVE, 5, 1)),
				rejected(decision("exports", FIVE, 1, 1), hidden),
				allowed(decision("exports", FIVE, 1, 1), decision("search", TEN_A_MINUTE, 0, 1)))) {
			assertThat(both.write(verdict, (name, value) -> {
			})).containsExactlyElementsOf(both.of(verdict).keySet());
		}
	}

	@Test
	void membersOfABucketHaveNoTimes() {
		assertThat(BucketMembers.of(decision("exports", WITH_HINT, 5, 0))).containsExactly(Map.entry("rule", "exports"),
				Map.entry("limit", 5L), Map.entry("remaining", 0L));
		assertThat(BucketMembers.of(decision("search", TEN_A_MINUTE, 10, 0))).containsEntry("reset", 60L)
			.containsEntry("retry-after", 6L);
	}

}
