package io.tierlimit.evaluation;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import io.tierlimit.RuleDecision;
import io.tierlimit.RuleOutcome;
import io.tierlimit.Verdict;
import io.tierlimit.key.SimpleCaller;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.option.schedule.TimeRange;
import io.tierlimit.option.wait.ReservationOptions;
import io.tierlimit.rule.CallerOverride;
import io.tierlimit.rule.CallerOverride.Effect;
import io.tierlimit.rule.CallerOverride.Kind;
import io.tierlimit.rule.CallerOverride.Target;
import io.tierlimit.rule.RequestOutcome;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.Scope;
import io.tierlimit.rule.TestRules;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that a rejection is counted for a ban only if the caller has caused it.
 */
class BanCountingTests extends SimulatedTraffic {

	/** The rule with which other rules are compared. */
	private static final Rule MILD = delaying("1/s");

	private static final Rule FIVE = counted("5/h");

	@Test
	void callerThatIgnoresItsLimitIsBanned() {
		TestEvaluator evaluator = evaluator(counted("10/h"));
		send(evaluator, 10);
		assertThat(isBannedAfter(evaluator, 2)).isFalse();
		assertThat(isBannedAfter(evaluator, 1)).isTrue();
	}

	@Test
	void rejectionsUnderAReducedRateAreNotCounted() {
		TestEvaluator evaluator = evaluator(adaptive(counted("10/s")));
		reduce(evaluator);
		assertThat(isBannedAfter(evaluator, 20)).isFalse();
		recover(evaluator);
		this.ticker.advance(MINUTE);
		send(evaluator, 10);
		assertThat(isBannedAfter(evaluator, 3)).as("at the full rate").isTrue();
	}

	@Test
	void rejectionsAfterAReloadThatLowersTheLimitAreNotCountedForTheWindow() {
		TestEvaluator evaluator = evaluator(counted("10/h"));
		evaluator.replace(counted("5/h"));
		send(evaluator, 5);
		assertThat(isBannedAfter(evaluator, 20)).isFalse();
		evaluator.replace(counted("5/h"));
		assertNotCountedForTheWindow(evaluator);
	}

	@Test
	void rejectionsAfterAReloadThatRaisesTheLimitAreCounted() {
		TestEvaluator evaluator = evaluator(counted("5/h"));
		evaluator.replace(counted("10/h"));
		send(evaluator, 10);
		assertThat(isBannedAfter(evaluator, 3)).isTrue();
	}

	@Test
	void rejectionsAfterAReducedRateAreNotCountedForTheWindow() {
		Rule rule = adaptive(banning(perUser("r", new TokenBucket(Rate.parse("10/s"), 1000))));
		TestEvaluator evaluator = evaluator(rule);
		send(evaluator, 1000);
		reduce(evaluator);
		recover(evaluator);
		evaluator.replace(rule);
		assertThat(share(evaluator)).as("the bucket was refilled at a reduced rate").isEqualTo(1);
		assertNotCountedForTheWindow(evaluator);
	}

	@ParameterizedTest
	@MethodSource("stricterRules")
	void rejectionsAfterAReloadThatMakesTheRuleStricterAreNotCountedForTheWindow(Rule stricter) {
		TestEvaluator evaluator = evaluator(queue(20), MILD);
		evaluator.replace(stricter);
		assertNotCountedForTheWindow(evaluator);
	}

	static List<Rule> stricterRules() {
		return List.of(MILD.cost("2"), MILD.cost("1 + 1"), MILD.scope(Scope.of(Scope.IP)),
				MILD.options(TestRules.where("method == 'GET'")),
				MILD.options((options) -> options.without(ReservationOptions.class)), charging(MILD, "401"),
				during(MILD));
	}

	@Test
	void rejectionsAfterAReloadThatMakesTheRuleMilderAreCounted() {
		TestEvaluator evaluator = evaluator(
				MILD.cost("2").options((options) -> options.without(ReservationOptions.class)));
		evaluator.replace(MILD);
		assertThat(isBannedAfter(evaluator, 3)).isTrue();
	}

	@ParameterizedTest
	@MethodSource("overrides")
	void rejectionsAfterTheEndOfAnOverrideAreNotCountedForTheWindow(CallerOverride override) {
		TestEvaluator evaluator = evaluator(FIVE);
		evaluator.replace(overridden(FIVE, override));
		evaluator.replace(FIVE);
		evaluator.replace(FIVE);
		assertThat(isBannedAfter(evaluator, BOB, 3)).as("another user").isTrue();
		assertNotCountedForTheWindow(evaluator);
	}

	static List<CallerOverride> overrides() {
		return List.of(limit("alice", bucket("10/h")), limit(Kind.KEY, "user:alice", bucket("10/h"), null),
				limit(Kind.ADDRESS, "192.0.2.1", bucket("10/h"), null), effect("alice", Effect.UNLIMITED));
	}

	@Test
	void rejectionsAfterTheTimeOfAnOverrideAreNotCountedForTheWindow() {
		TestEvaluator evaluator = evaluator(FIVE);
		evaluator.replace(overridden(FIVE, limit(Kind.USER, "alice", bucket("10/h"), now().plus(MINUTE)),
				effect("bob", Effect.UNLIMITED, Instant.MAX)));
		this.ticker.advance(MINUTE);
		assertNotCountedForTheWindow(evaluator);
	}

	@Test
	void rejectionsUnderAnOverrideThatIsLoweredAreNotCountedForTheWindow() {
		TestEvaluator evaluator = evaluator(FIVE);
		evaluator.replace(overridden(FIVE, limit("alice", bucket("20/h"))));
		this.ticker.advance(MINUTE);
		evaluator.replace(overridden(FIVE, limit("alice", bucket("10/h"))));
		assertNotCountedForTheWindow(evaluator);
	}

	@Test
	void rejectionsUnderAnUnchangedOverrideAreCounted() {
		TestEvaluator evaluator = evaluator(FIVE);
		evaluator.replace(overridden(FIVE, limit("alice", bucket("10/h"))));
		this.ticker.advance(MINUTE);
		CallerOverride renamed = new CallerOverride("other", new Target(Kind.USER, List.of("alice")), Set.of("r"),
				Effect.LIMIT, Map.of("r", bucket("10/h")), null, null);
		evaluator.replace(overridden(FIVE, renamed, limit("bob", bucket("10/h"))));
		assertThat(isBannedAfter(evaluator, 3)).isTrue();
	}

	@Test
	void rejectionsAfterTheBeginningOfTheTimesOfARuleAreNotCountedForTheWindow() {
		TestEvaluator evaluator = evaluator(during(FIVE, new TimeRange(now().plus(MINUTE), null)));
		send(evaluator, 20);
		this.ticker.advance(MINUTE);
		assertThat(isBannedAfter(evaluator, 20)).isFalse();
		this.ticker.advance(MINUTE.minusMillis(1));
		assertThat(isBannedAfter(evaluator, 20)).isFalse();
		this.ticker.advance(Duration.ofMillis(1));
		assertThat(isBannedAfter(evaluator, 3)).isTrue();
	}

	@Test
	void banLastsUntilItsEndAlthoughTheRuleDoesNotApplyInBetween() {
		Instant end = now().plusSeconds(1);
		TestEvaluator evaluator = evaluator(
				during(FIVE, new TimeRange(null, end), new TimeRange(end.plusSeconds(10), null)));
		send(evaluator, 5);
		assertThat(isBannedAfter(evaluator, 3)).isTrue();
		this.ticker.advance(Duration.ofSeconds(1));
		assertThat(evaluate(evaluator, ALICE)).as("the rule does not apply").isEqualTo(Verdict.UNLIMITED);
		this.ticker.advance(Duration.ofSeconds(10));
		assertThat(evaluate(evaluator, ALICE).banned()).isTrue();
	}

	@Test
	void rejectionByAShadowRuleIsCountedOnceForARequestWithoutASlot() {
		Rule shadow = shadow(banning(perUser("shadow", new TokenBucket(Rate.parse("1/h"), 1))));
		TestEvaluator evaluator = evaluator(queue(1), shadow, delaying("1/s"));
		assertThat(evaluateAll(evaluator).delay()).isZero();
		assertThat(evaluateAll(evaluator).delay()).as("1st rejection in shadow mode").isPositive();
		Verdict second = evaluateAll(evaluator);
		assertThat(second.decisions()).extracting(RuleDecision::outcome)
			.as("no slot")
			.containsExactly(RuleOutcome.SHADOW_REJECTED, RuleOutcome.REJECTED);
		assertThat(second.decisions().get(0).decision().ban()).as("2nd rejection").isNull();
		assertThat(List.of(evaluateAll(evaluator), evaluateAll(evaluator)))
			.extracting((verdict) -> Objects.requireNonNull(verdict.decisions().get(0).decision().ban()).started())
			.as("the 3rd rejection starts the ban")
			.containsExactly(true, false);
	}

	private static Verdict evaluateAll(TestEvaluator evaluator) {
		return evaluator.begin(ALICE).evaluate(evaluator.matched(), Stage.ALL);
	}

	@Test
	void requestThatWaitsIsServedAlthoughItsCallerIsBannedDuringTheWait() {
		TestEvaluator evaluator = evaluator(queue(20), delaying("1/s"));
		send(evaluator, 1);
		RateLimitTransaction waiting = evaluator.begin(ALICE);
		Verdict verdict = evaluate(evaluator, waiting);
		this.duringWaits = () -> assertThat(isBannedAfter(evaluator, 20)).isTrue();
		waiting.await(verdict);
		assertThat(waiting.verdict().allowed()).isTrue();
		assertThat(evaluate(evaluator, ALICE).banned()).as("does not wait").isTrue();
	}

	@Test
	void eachPlanHasItsOwnBan() {
		TestEvaluator evaluator = evaluator(plans(FIVE));
		assertThat(isBannedAfter(evaluator, 3)).isTrue();
		assertThat(evaluate(evaluator, ALICE.on("pro")).allowed()).as("another bucket").isTrue();
		assertThat(evaluate(evaluator, ALICE).banned()).as("back again").isTrue();
	}

	@Test
	void candidateStartsNoBanAndARequestDuringABanIsNotCompared() {
		TestEvaluator evaluator = evaluator(candidate(FIVE, bucket("20/h")));
		send(evaluator, 5);
		for (int i = 0; i < 3; i++) {
			evaluator.evaluator().publish(evaluate(evaluator, ALICE), ALICE);
		}
		Verdict banned = evaluate(evaluator, ALICE);
		evaluator.evaluator().publish(banned, ALICE);
		assertThat(banned.banned()).isTrue();
		assertThat(banned.decisions().get(1).banned()).isFalse();
		assertThat(evaluator.describe("r").get("candidate")).as("the last rejection by the rule starts the ban")
			.hasToString("{id=r.candidate, compared=3, rejectedOnlyByCandidate=0, rejectedOnlyByRule=3, "
					+ "rejectedMorePercent=-100.0}");
	}

	@Test
	void rejectionsOfConditionalChargesAreCountedAndARefundLiftsNoBan() {
		TestEvaluator evaluator = evaluator(charging(FIVE, "401", "204"));
		List<RateLimitTransaction> inFlight = begin(5, evaluator, ALICE);
		assertThat(isBannedAfter(evaluator, 3)).isTrue();
		inFlight.get(0).complete(OK);
		inFlight.get(1).complete(RequestOutcome.answered(204));
		assertThat(evaluate(evaluator, ALICE).banned()).isTrue();
		this.ticker.advance(MINUTE);
		assertThat(evaluate(evaluator, ALICE).allowed()).as("refunded during the ban").isTrue();
	}

	@Test
	void rejectionsForLackOfASlotAreNotCounted() {
		TestEvaluator evaluator = evaluator(queue(20), delaying("1/s"));
		List<RateLimitTransaction> waiting = begin(3, evaluator, ALICE);
		assertThat(isBannedAfter(evaluator, 10)).as("would wait for 3 s of 10 s, but two requests wait already")
			.isFalse();
		waiting.get(1).await(waiting.get(1).verdict());
		assertThat(evaluate(evaluator, ALICE).allowed()).as("a free slot").isTrue();
	}

	@Test
	void callerThatFloodsIsBannedAlthoughItsRequestsFindNoSlot() {
		TestEvaluator evaluator = evaluator(queue(20), delaying("1/s"));
		send(evaluator, 3);
		assertThat(isBannedAfter(evaluator, 10)).as("as many as could wait for 10 s").isFalse();
		assertThat(isBannedAfter(evaluator, 3)).as("more than could ever wait").isTrue();
	}

	@Test
	void callersOfAPlanShareNoTenthOfTheSlots() {
		Rule perPlan = perUser("1/s").scope(Scope.of(Scope.PLAN));
		TestEvaluator evaluator = evaluator(queue(10), waiting(perPlan, Duration.ofSeconds(10)));
		send(evaluator, 11);
		assertThat(evaluate(evaluator, ALICE).allowed()).isFalse();
	}

	@Test
	void rejectionsBeyondTheMaximumWaitAreCounted() {
		TestEvaluator evaluator = evaluator(queue(1000), delaying("1/s"));
		send(evaluator, 11);
		assertThat(isBannedAfter(evaluator, 3)).isTrue();
	}

	@Test
	void callersThatWaitDoNotHaveOthersBanned() {
		TestEvaluator evaluator = evaluator(queue(10), delaying("1/s"));
		for (int i = 0; i < 10; i++) {
			SimpleCaller other = SimpleCaller.at("192.0.2.1").as("user" + i);
			evaluate(evaluator, other);
			assertThat(evaluate(evaluator, other).delay()).isEqualTo(Duration.ofSeconds(1));
		}
		send(evaluator, 1);
		assertThat(isBannedAfter(evaluator, 20)).as("would wait, but all slots are occupied").isFalse();
		assertThat(evaluate(evaluator, ALICE).allowed()).isFalse();
	}

	@Test
	void withoutSlotsAllRejectionsAreCounted() {
		TestEvaluator evaluator = evaluator(WaitQueue.NONE, delaying("1/s"));
		send(evaluator, 1);
		assertThat(isBannedAfter(evaluator, 3)).isTrue();
	}

	private void assertNotCountedForTheWindow(TestEvaluator evaluator) {
		assertThat(isBannedAfter(evaluator, 20)).isFalse();
		this.ticker.advance(MINUTE);
		assertThat(isBannedAfter(evaluator, 3)).isTrue();
	}

	/** Lets the adaptive rate rise to the full rate. */
	private void recover(TestEvaluator evaluator) {
		this.overloaded = false;
		for (int i = 0; i < 100 && share(evaluator) < 1; i++) {
			this.ticker.advance(Duration.ofSeconds(1));
			update(evaluator);
		}
	}

	private static Rule counted(String rate) {
		return banning(perUser(rate));
	}

	/** A rule whose requests wait for at most 10 seconds. */
	private static Rule delaying(String rate) {
		return waiting(counted(rate), Duration.ofSeconds(10));
	}

	private static void send(TestEvaluator evaluator, int requests) {
		for (int i = 0; i < requests; i++) {
			assertThat(evaluate(evaluator, ALICE).allowed()).isTrue();
		}
	}

	/**
	 * Sends requests until this number of them is rejected. Returns whether one is
	 * banned.
	 */
	private static boolean isBannedAfter(TestEvaluator evaluator, int rejections) {
		return isBannedAfter(evaluator, ALICE, rejections);
	}

	private static boolean isBannedAfter(TestEvaluator evaluator, SimpleCaller caller, int rejections) {
		boolean banned = false;
		for (int i = 0; i < rejections;) {
			Verdict verdict = evaluate(evaluator, caller);
			banned |= verdict.banned();
			i += verdict.allowed() ? 0 : 1;
		}
		return banned;
	}

}
