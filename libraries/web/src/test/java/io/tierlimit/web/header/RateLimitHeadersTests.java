package io.tierlimit.web.header;

import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Random;

import io.tierlimit.HeaderVisibility;
import io.tierlimit.RuleDecision;
import io.tierlimit.RuleMode;
import io.tierlimit.Verdict;
import io.tierlimit.Verdict.Outcome;
import io.tierlimit.evaluation.TestDecision;
import io.tierlimit.junit.Rounds;
import io.tierlimit.limit.BucketState;
import io.tierlimit.limit.Decision;
import io.tierlimit.limit.FixedWindow;
import io.tierlimit.limit.Limit;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.RuleOptions;
import io.tierlimit.rule.TestRules;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class RateLimitHeadersTests {

	private static final Instant NOW = Instant.parse("2026-01-01T00:00:00.250Z");

	private static final TokenBucket TEN_A_SECOND = new TokenBucket(Rate.parse("10/s"), 50);

	private static final List<HeaderStyle> STYLES = List.of(HeaderStyle.DRAFT_11, HeaderStyle.DRAFT_06,
			HeaderStyle.X_RATELIMIT);

	private static final int ROUNDS = Rounds.of(4_000, 20_000);

	private final RateLimitHeaders all = new RateLimitHeaders(STYLES, RetryAfterJitter.NONE, InstantSource.fixed(NOW));

	@Test
	void headersOfAnAllowedRequestShowEveryRule() {
		Map<String, String> fields = this.all.of(allowed(decision("per-user", TEN_A_SECOND, 37, 1),
				decision("search", new TokenBucket(Rate.parse("1000/s"), 2000), 9, 1)));
		assertThat(fields).containsExactly(
				Map.entry("RateLimit-Policy", "\"per-user\";q=50;w=5, \"search\";q=2000;w=2"),
				Map.entry("RateLimit", "\"per-user\";r=12;t=2, \"search\";r=1990;t=2"),
				Map.entry("RateLimit-Limit", "50"), Map.entry("RateLimit-Remaining", "12"),
				Map.entry("RateLimit-Reset", "4"), Map.entry("X-RateLimit-Limit", "50"),
				Map.entry("X-RateLimit-Remaining", "12"), Map.entry("X-RateLimit-Reset", epoch(4)));
	}

	@Test
	void headersOfARejectedRequestShowOnlyTheViolatedRules() {
		Map<String, String> fields = this.all.of(rejected(decision("global", TEN_A_SECOND, 0, 1),
				decision("slow", new TokenBucket(Rate.parse("2/m"), 4), 4, 2),
				decision("slower", new TokenBucket(Rate.parse("1/m"), 4), 4, 2)));
		assertThat(fields).containsEntry("RateLimit", "\"slow\";r=0;t=60, \"slower\";r=0;t=120")
			.containsEntry("RateLimit-Policy", "\"global\";q=50;w=5, \"slow\";q=4;w=120, \"slower\";q=4;w=240")
			.containsEntry("RateLimit-Limit", "4")
			.containsEntry("RateLimit-Remaining", "0")
			.containsEntry("RateLimit-Reset", "120")
			.containsEntry("X-RateLimit-Reset", epoch(240))
			.containsEntry("Retry-After", "120");
	}

	@Test
	void requestThatCanNeverBeAllowedHasNoRetryAfter() {
		Map<String, String> fields = this.all
			.of(rejected(decision("a", TEN_A_SECOND, 50, 1), decision("b", TEN_A_SECOND, 0, 51)));
		assertThat(fields).containsEntry("RateLimit", "\"a\";r=0;t=1, \"b\";r=0")
			.containsEntry("RateLimit-Remaining", "50")
			.containsEntry("RateLimit-Reset", "0")
			.doesNotContainKey("Retry-After");
	}

	@Test
	void fullBucketIsResetNow() {
		assertThat(this.all.of(allowed(decision("a", TEN_A_SECOND, 0, 0)))).containsEntry("RateLimit-Reset", "0");
	}

	@Test
	void closestRuleHasTheFewestPermitsThenTheLongestResetThenTheFirstName() {
		TokenBucket slow = new TokenBucket(Rate.parse("1/m"), 50);
		RuleDecision few = decision("few", TEN_A_SECOND, 49, 0);
		RuleDecision slower = decision("slower", slow, 40, 0);
		RuleDecision b = decision("b", TEN_A_SECOND, 40, 0);
		RuleDecision a = decision("a", new TokenBucket(Rate.parse("5/2s"), 20), 10, 0);
		assertThat(this.all.of(allowed(b, few, slower))).containsEntry("RateLimit-Remaining", "1");
		assertThat(this.all.of(allowed(b, slower))).containsEntry("RateLimit-Reset", "2400");
		assertThat(this.all.of(allowed(b, a))).containsEntry("RateLimit-Reset", "4")
			.containsEntry("RateLimit-Limit", "20");
		assertThat(this.all.of(allowed(a, b))).containsEntry("RateLimit-Limit", "20");
	}

	@Test
	void shadowAndHiddenRulesAreNotShown() {
		RuleDecision hidden = decision(rule("hidden", RuleMode.ENFORCE, HeaderVisibility.HIDDEN), TEN_A_SECOND, 0, 1);
		RuleDecision shadow = decision(rule("shadow", RuleMode.SHADOW, HeaderVisibility.SHOWN), TEN_A_SECOND, 50, 1);
		assertThat(this.all.of(allowed(hidden, shadow))).isEmpty();
		assertThat(this.all.of(allowed(hidden, shadow, decision("a", TEN_A_SECOND, 0, 1))).get("RateLimit-Policy"))
			.isEqualTo("\"a\";q=50;w=5");
	}

	@Test
	void waitForAHiddenRuleIsShownWithoutItsName() {
		RuleDecision hidden = decision(rule("hidden", RuleMode.ENFORCE, HeaderVisibility.HIDDEN),
				new TokenBucket(Rate.parse("1/m")), 1, 1);
		assertThat(this.all.of(rejected(hidden))).containsExactly(Map.entry("Retry-After", "60"));
		Map<String, String> withHidden = this.all.of(rejected(hidden, decision("a", TEN_A_SECOND, 0, 1)));
		assertThat(withHidden).containsEntry("Retry-After", "60")
			.containsEntry("RateLimit-Reset", "60")
			.doesNotContainKey("RateLimit");
		assertThat(withHidden.values()).noneMatch((value) -> value.contains("hidden"));
	}

	@Test
	void shadowRuleDoesNotChangeRetryAfter() {
		RuleDecision shadow = decision(rule("shadow", RuleMode.SHADOW, HeaderVisibility.SHOWN),
				new TokenBucket(Rate.parse("1/d")), 1, 1);
		assertThat(this.all.of(rejected(shadow, decision("a", TEN_A_SECOND, 50, 1)))).containsEntry("Retry-After", "1")
			.containsEntry("RateLimit-Reset", "1");
	}

	@Test
	void onlyTheChosenStylesAreWritten() {
		Verdict verdict = allowed(decision("a", TEN_A_SECOND, 0, 1));
		assertThat(headers(HeaderStyle.DRAFT_11).of(verdict)).containsOnlyKeys("RateLimit-Policy", "RateLimit");
		assertThat(headers(HeaderStyle.DRAFT_06).of(verdict)).containsOnlyKeys("RateLimit-Limit", "RateLimit-Remaining",
				"RateLimit-Reset");
		for (HeaderStyle style : List.of(HeaderStyle.X_RATELIMIT, HeaderStyle.X_RATELIMIT_DELTA)) {
			assertThat(headers(style).of(verdict)).containsOnlyKeys("X-RateLimit-Limit", "X-RateLimit-Remaining",
					"X-RateLimit-Reset");
		}
		assertThat(headers().of(verdict)).isEmpty();
	}

	@Test
	void stylesWithTheSameHeadersAreNotWrittenTogether() {
		assertThatIllegalArgumentException().isThrownBy(() -> headers(HeaderStyle.values()))
			.withMessageContainingAll("x-ratelimit", "x-ratelimit-delta");
	}

	@Test
	void resetOfTheDeltaStyleIsInSecondsFromNow() {
		Map<String, String> fields = headers(HeaderStyle.X_RATELIMIT_DELTA)
			.of(allowed(decision("a", TEN_A_SECOND, 0, 15)));
		assertThat(fields).containsEntry("X-RateLimit-Reset", "2");
	}

	@Test
	void policiesMatchEachRequestInItsOwnOrder() {
		TokenBucket slow = new TokenBucket(Rate.parse("1/m"), 50);
		RuleDecision a = decision("a", TEN_A_SECOND, 0, 1);
		RuleDecision b = decision("b", TEN_A_SECOND, 0, 1);
		RuleDecision slowerB = decision("b", slow, 0, 1);
		for (int i = 0; i < 3; i++) {
			assertThat(this.all.of(allowed(a, b))).containsEntry("RateLimit-Policy", "\"a\";q=50;w=5, \"b\";q=50;w=5");
			assertThat(this.all.of(allowed(a, slowerB))).containsEntry("RateLimit-Policy",
					"\"a\";q=50;w=5, \"b\";q=50;w=3000");
			assertThat(this.all.of(allowed(b, a))).containsEntry("RateLimit-Policy", "\"b\";q=50;w=5, \"a\";q=50;w=5");
			assertThat(this.all.of(allowed(a))).containsEntry("RateLimit-Policy", "\"a\";q=50;w=5");
		}
	}

	@Test
	void limitsMayDifferInEachRequest() {
		for (int i = 1; i < 3000; i++) {
			Map<String, String> fields = this.all.of(allowed(decision("a", TEN_A_SECOND, 0, 0),
					decision("b", new TokenBucket(Rate.parse("10/s"), i), 0, 0)));
			assertThat(fields.get("RateLimit-Policy")).startsWith("\"a\";q=50;w=5, \"b\";q=" + i + ";w=");
			assertThat(fields.get("RateLimit")).startsWith("\"a\";r=50;t=5, \"b\";r=" + i + ";t=");
			assertThat(fields).containsEntry("RateLimit-Limit", Integer.toString(Math.min(i, 50)));
		}
	}

	@Test
	void requestWithoutARuleHasNoHeaders() {
		assertThat(this.all.of(Verdict.UNLIMITED)).isEmpty();
	}

	@Test
	void fixedWindowShowsThePermitsOfAPeriodAndTheStartOfTheNext() {
		FixedWindow limit = new FixedWindow(Rate.parse("10/m"), 20, Duration.ofSeconds(12));
		assertThat(this.all.of(allowed(decision("daily", limit, 14, 1))))
			.containsEntry("RateLimit-Policy", "\"daily\";q=10;w=60")
			.containsEntry("RateLimit", "\"daily\";r=5;t=12")
			.containsEntry("RateLimit-Limit", "20")
			.containsEntry("RateLimit-Remaining", "5")
			.containsEntry("RateLimit-Reset", "72");
		assertThat(this.all.of(rejected(decision("daily", limit, 20, 11))))
			.containsEntry("RateLimit", "\"daily\";r=0;t=72")
			.containsEntry("RateLimit-Reset", "72")
			.containsEntry("Retry-After", "72");
	}

	@Test
	void jitterOfARejectionIsTheSameForAllItsRules() {
		RuleDecision hidden = decision(rule("hidden", RuleMode.ENFORCE, HeaderVisibility.HIDDEN),
				new TokenBucket(Rate.parse("1/h")), 1, 1);
		Verdict verdict = rejected(decision("a", new TokenBucket(Rate.parse("1/h")), 1, 1),
				decision("b", new TokenBucket(Rate.parse("1/2h")), 1, 1), hidden);
		RateLimitHeaders jittered = jittered();
		for (int i = 0; i < 100; i++) {
			Map<String, String> fields = jittered.of(verdict);
			Map<String, Map<String, Long>> rateLimit = RateLimitField.parse(fields.getOrDefault("RateLimit", ""));
			long a = rateLimit.getOrDefault("a", Map.of()).getOrDefault("t", 0L);
			long b = rateLimit.getOrDefault("b", Map.of()).getOrDefault("t", 0L);
			assertThat(a).isBetween(3600L, 3960L);
			assertThat(b).isBetween(2 * a - 1, 2 * a);
			assertThat(fields).containsEntry("Retry-After", Long.toString(b))
				.containsEntry("RateLimit-Reset", Long.toString(b));
		}
	}

	@Test
	void jitterChangesNeitherTheTimeOfTheFullBucketNorAllowedRequests() {
		RateLimitHeaders jittered = jittered();
		RuleDecision consumed = decision("a", new TokenBucket(Rate.parse("2/h")), 2, 1);
		RuleDecision left = decision("a", new TokenBucket(Rate.parse("2/h")), 1, 1);
		for (int i = 0; i < 100; i++) {
			assertThat(jittered.of(rejected(consumed))).containsEntry("X-RateLimit-Reset", epoch(3600));
			assertThat(jittered(HeaderStyle.X_RATELIMIT_DELTA).of(rejected(consumed)))
				.containsEntry("X-RateLimit-Reset", "3600");
			assertThat(jittered.of(allowed(left))).isEqualTo(this.all.of(allowed(left)));
		}
	}

	@Test
	void jitterAddsNoWaitIfARequestCanNeverBeAllowed() {
		Verdict verdict = rejected(decision("a", TEN_A_SECOND, 0, 51));
		assertThat(jittered().of(verdict)).isEqualTo(this.all.of(verdict))
			.containsEntry("RateLimit", "\"a\";r=0")
			.doesNotContainKey("Retry-After");
	}

	@Test
	void numbersAreConsistentForRandomLimits() {
		Random random = new Random(3);
		for (int i = 0; i < ROUNDS; i++) {
			TokenBucket limit = randomLimit(random);
			long consumed = 1 + (long) (random.nextDouble() * limit.burst());
			long elapsed = (long) (random.nextDouble() * limit.timeToFull() / 2);
			long cost = 1 + (long) (random.nextDouble() * limit.burst());
			BucketState state = new BucketState(0);
			limit.acquire(state, Math.min(consumed, limit.burst()), 0);
			BigInteger period = BigInteger.valueOf(limit.rate().periodTicks());
			BigInteger before = BigInteger.valueOf(limit.burst() - Math.min(consumed, limit.burst()))
				.multiply(period)
				.add(BigInteger.valueOf(elapsed).multiply(BigInteger.valueOf(limit.rate().permits())))
				.min(BigInteger.valueOf(limit.burst()).multiply(period));
			Decision decision = limit.acquire(state, cost, elapsed);
			RuleDecision testDecision = testDecision(rule("r", RuleMode.ENFORCE, HeaderVisibility.SHOWN), limit, cost,
					decision);
			Map<String, String> fields = this.all
				.of(decision.allowed() ? allowed(testDecision) : rejected(testDecision));
			BigInteger after = decision.allowed() ? before.subtract(BigInteger.valueOf(cost).multiply(period)) : before;
			checkRelations(limit, cost, after, decision.allowed(), fields);
		}
	}

	private static void checkRelations(TokenBucket limit, long cost, BigInteger value, boolean allowed,
			Map<String, String> fields) {
		BigInteger period = BigInteger.valueOf(limit.rate().periodTicks());
		BigInteger capacity = BigInteger.valueOf(limit.burst()).multiply(period);
		Map<String, Long> policy = RateLimitField.parse(fields.getOrDefault("RateLimit-Policy", "")).get("r");
		Map<String, Long> level = RateLimitField.parse(fields.getOrDefault("RateLimit", "")).get("r");
		long whole = value.divide(period).longValueExact();
		assertThat(policy).containsExactly(Map.entry("q", limit.burst()), Map.entry("w", seconds(limit, capacity, 1)));
		assertThat(fields).containsEntry("RateLimit-Limit", Long.toString(limit.burst()))
			.containsEntry("RateLimit-Remaining", Long.toString(whole));
		if (allowed) {
			BigInteger earned = (whole > 0) ? BigInteger.valueOf(whole).multiply(period) : period.subtract(value);
			assertThat(level).containsExactly(Map.entry("r", whole), Map.entry("t", seconds(limit, earned, 1)));
			assertThat(fields)
				.containsEntry("RateLimit-Reset", Long.toString(seconds(limit, capacity.subtract(value), 0)))
				.doesNotContainKey("Retry-After");
		}
		else {
			long wait = seconds(limit, BigInteger.valueOf(cost).multiply(period).subtract(value), 1);
			assertThat(level).containsExactly(Map.entry("r", 0L), Map.entry("t", wait));
			assertThat(fields).containsEntry("Retry-After", Long.toString(wait))
				.containsEntry("RateLimit-Reset", Long.toString(wait));
		}
	}

	/** The time in which this number of parts of 1/period permits is earned. */
	private static long seconds(TokenBucket limit, BigInteger parts, long least) {
		BigInteger divisor = BigInteger.valueOf(limit.rate().permits()).multiply(BigInteger.valueOf(1_000_000));
		BigInteger[] quotient = parts.divideAndRemainder(divisor);
		return Math.max(least, quotient[0].longValueExact() + quotient[1].signum());
	}

	private static TokenBucket randomLimit(Random random) {
		Duration period = Duration.of(1 + (long) Math.pow(10, random.nextDouble() * 11), ChronoUnit.MICROS);
		long permits = (long) Math.pow(10, random.nextDouble() * 6);
		return new TokenBucket(new Rate(permits, period), 1 + (long) (permits * random.nextDouble() * 4));
	}

	private static RateLimitHeaders jittered() {
		return jittered(STYLES.toArray(HeaderStyle[]::new));
	}

	private static RateLimitHeaders jittered(HeaderStyle... styles) {
		return new RateLimitHeaders(List.of(styles), new RetryAfterJitter(0.1, new Random(5)::nextDouble),
				InstantSource.fixed(NOW));
	}

	/**
	 * The time that is {@code seconds} from now, in seconds since the epoch, rounded up.
	 */
	private static String epoch(long seconds) {
		return Long.toString(NOW.getEpochSecond() + seconds + 1);
	}

	static RateLimitHeaders headers(HeaderStyle... styles) {
		return new RateLimitHeaders(List.of(styles), RetryAfterJitter.NONE, InstantSource.fixed(NOW));
	}

	static Verdict allowed(RuleDecision... decisions) {
		return new Verdict(Outcome.ALLOWED, List.of(decisions));
	}

	static Verdict rejected(RuleDecision... decisions) {
		return new Verdict(Outcome.REJECTED, List.of(decisions));
	}

	static RuleDecision decision(String rule, Limit limit, long consumed, long cost) {
		return decision(rule(rule, RuleMode.ENFORCE, HeaderVisibility.SHOWN), limit, consumed, cost);
	}

	private static RuleDecision decision(Rule rule, Limit limit, long consumed, long cost) {
		BucketState state = new BucketState(0);
		limit.acquire(state, consumed, 0);
		return testDecision(rule, limit, cost, limit.acquire(state, cost, 0));
	}

	private static RuleDecision testDecision(Rule rule, Limit limit, long cost, Decision decision) {
		return new TestDecision(rule.id(), null, rule.isShadow(), "", cost, limit, decision, false,
				rule.options().visibility() == HeaderVisibility.HIDDEN);
	}

	private static Rule rule(String id, RuleMode mode, HeaderVisibility visibility) {
		return TestRules.rule(id, TEN_A_SECOND).options((options) -> new RuleOptions(mode, visibility, null, Map.of()));
	}

}
