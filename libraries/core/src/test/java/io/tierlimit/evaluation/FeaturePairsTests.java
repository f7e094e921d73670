package io.tierlimit.evaluation;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.tierlimit.PermitRequest;
import io.tierlimit.RuleDecision;
import io.tierlimit.RuleMode;
import io.tierlimit.RuleOutcome;
import io.tierlimit.Verdict;
import io.tierlimit.key.SimpleCaller;
import io.tierlimit.limit.BanPolicy;
import io.tierlimit.limit.Limit;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.option.adaptive.AdaptivePolicy;
import io.tierlimit.option.adaptive.AdaptiveRate;
import io.tierlimit.option.adaptive.AdaptiveRates;
import io.tierlimit.option.ban.Banning;
import io.tierlimit.option.candidate.CandidateLimits;
import io.tierlimit.option.outcome.ChargePolicy;
import io.tierlimit.option.outcome.StatusRange;
import io.tierlimit.option.schedule.Schedule;
import io.tierlimit.option.schedule.TimeRange;
import io.tierlimit.option.shard.Shards;
import io.tierlimit.option.standard.StandardOptions;
import io.tierlimit.option.wait.ReservationOptions;
import io.tierlimit.rule.CallerOverride;
import io.tierlimit.rule.CallerOverride.Effect;
import io.tierlimit.rule.CallerOverride.Kind;
import io.tierlimit.rule.CallerOverride.Target;
import io.tierlimit.rule.PlanLimit;
import io.tierlimit.rule.RequestOutcome;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.RuleLimits;
import io.tierlimit.rule.RuleSet;
import io.tierlimit.rule.Scope;
import io.tierlimit.rule.TestRules;
import io.tierlimit.store.SimulatedTicker;
import io.tierlimit.store.memory.InMemoryBucketStore;
import io.tierlimit.store.shard.ShardedBuckets;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests pairs of features that no other test combines. See docs/contributing/evidence.md.
 */
class FeaturePairsTests {

	private static final Instant START = Instant.parse("2030-01-01T00:00:00Z");

	private static final Duration MINUTE = Duration.ofMinutes(1);

	private static final RequestOutcome OK = RequestOutcome.answered(200);

	private static final SimpleCaller ALICE = SimpleCaller.at("192.0.2.1").as("alice");

	private static final SimpleCaller BOB = SimpleCaller.at("192.0.2.2").as("bob");

	private final SimulatedTicker ticker = new SimulatedTicker();

	private final InMemoryBucketStore store = new InMemoryBucketStore(this.ticker, 100);

	private final List<RuleOutcome> published = new ArrayList<>();

	private final WaitQueue queue = new WaitQueue(100, this::sleep);

	private Runnable duringWaits = () -> {
	};

	private boolean overloaded;

	// Adaptive rates

	@Test
	void adaptiveRuleInShadowModeIsMeasuredAndRejectsNothing() {
		TestEvaluator evaluator = evaluator(adaptive(shadow(perSecond(10))));
		failForTenCallers(evaluator);
		update(evaluator);
		assertThat(share(evaluator)).isEqualTo(0.8);
		for (int i = 0; i < 20; i++) {
			assertThat(send(evaluator, ALICE).allowed()).isTrue();
		}
		assertThat(this.published).contains(RuleOutcome.SHADOW_REJECTED).doesNotContain(RuleOutcome.REJECTED);
	}

	@Test
	void ruleIsNotMeasuredOutsideOfItsTimes() {
		TestEvaluator evaluator = evaluator(until(START.plusSeconds(1), adaptive(perSecond(10))));
		this.ticker.advance(Duration.ofSeconds(1));
		failForTenCallers(evaluator);
		update(evaluator);
		assertThat(share(evaluator)).isEqualTo(1);
	}

	@Test
	void conditionalChargeIsRefundedOnceAlthoughTheRateIsReducedBeforeTheEnd() {
		TestEvaluator evaluator = evaluator(adaptive(chargingFailures(perSecond(10))));
		RateLimitTransaction transaction = begin(evaluator, ALICE);
		assertThat(remaining(evaluator, "alice")).isEqualTo(9);
		reduce(evaluator);
		transaction.complete(OK);
		transaction.complete(OK);
		assertThat(remaining(evaluator, "alice")).isEqualTo(10);
	}

	@Test
	void requestWaitsForPermitsAtTheReducedRateAndNotLongerThanTheMaximum() {
		TestEvaluator evaluator = evaluator(adaptive(waiting(perSecond(1), Duration.ofSeconds(2))));
		reduce(evaluator);
		assertThat(send(evaluator, ALICE).delay()).isZero();
		assertThat(evaluate(evaluator, ALICE).delay()).isEqualTo(Duration.ofMillis(1250));
		assertThat(evaluate(evaluator, ALICE).allowed()).as("after 2.5 s").isFalse();
	}

	// Candidates

	@Test
	void candidateDelaysNoRequest() {
		TestEvaluator evaluator = evaluator(candidate(waiting(perSecond(100), MINUTE), "1/s"));
		for (int i = 0; i < 10; i++) {
			Verdict verdict = evaluate(evaluator, ALICE);
			assertThat(verdict.allowed()).isTrue();
			assertThat(verdict.delay()).isZero();
			assertThat(verdict.decisions()).extracting(RuleDecision::outcome)
				.containsExactly(RuleOutcome.ALLOWED, RuleOutcome.ALLOWED);
		}
	}

	@Test
	void candidateIsNotChargedOutsideOfTheTimesOfItsRule() {
		TestEvaluator evaluator = evaluator(until(START.plusSeconds(1), candidate(perSecond(10), "5/h")));
		assertThat(send(evaluator, ALICE).decisions()).hasSize(2);
		this.ticker.advance(Duration.ofSeconds(1));
		assertThat(send(evaluator, ALICE)).isEqualTo(Verdict.UNLIMITED);
		assertThat(evaluator.limiter().tryAcquire(PermitRequest.of("r").user("alice"))).isEqualTo(Verdict.UNLIMITED);
	}

	// Waits

	@Test
	void callerWaitsForItsOwnLimitAndNeitherIfItIsUnlimitedNorIfItIsBlocked() {
		Rule rule = waiting(perSecond(1), MINUTE);
		TestEvaluator evaluator = evaluator(rule);
		evaluator.replace(new RuleSet(List.of(rule)).overrides(
				List.of(limit("alice", "2/s"), effect("bob", Effect.UNLIMITED), effect("carol", Effect.BLOCKED))));
		evaluate(evaluator, ALICE);
		evaluate(evaluator, ALICE);
		assertThat(evaluate(evaluator, ALICE).delay()).isEqualTo(Duration.ofMillis(500));
		assertThat(evaluate(evaluator, BOB)).isEqualTo(Verdict.UNLIMITED);
		Verdict blocked = evaluate(evaluator, ALICE.as("carol"));
		assertThat(blocked.blocked()).isTrue();
		assertThat(blocked.delay()).isZero();
	}

	@Test
	void requestThatWaitsIsServedAlthoughItsCallerIsBlockedDuringTheWait() {
		Rule rule = waiting(perSecond(1), MINUTE);
		TestEvaluator evaluator = evaluator(rule);
		send(evaluator, ALICE);
		this.duringWaits = () -> evaluator
			.replace(new RuleSet(List.of(rule)).overrides(List.of(effect("alice", Effect.BLOCKED))));
		assertThat(send(evaluator, ALICE).allowed()).isTrue();
		assertThat(this.published).containsExactly(RuleOutcome.ALLOWED, RuleOutcome.DELAYED);
		assertThat(send(evaluator, ALICE).blocked()).isTrue();
	}

	@Test
	void callersWaitForTheLimitsOfTheirPlans() {
		TestEvaluator evaluator = evaluator(plans(waiting(perSecond(1), MINUTE)));
		evaluate(evaluator, ALICE);
		assertThat(evaluate(evaluator, ALICE).delay()).isEqualTo(Duration.ofSeconds(1));
		evaluate(evaluator, ALICE.on("pro"));
		evaluate(evaluator, ALICE.on("pro"));
		assertThat(evaluate(evaluator, ALICE.on("pro")).delay()).isEqualTo(Duration.ofMillis(500));
		assertThat(evaluate(evaluator, ALICE.on("max"))).isEqualTo(Verdict.UNLIMITED);
	}

	@Test
	void requestWaitsEvenIfTheTimesOfTheRuleEndDuringTheWait() {
		TestEvaluator evaluator = evaluator(until(START.plusMillis(500), waiting(perSecond(1), MINUTE)));
		send(evaluator, ALICE);
		assertThat(send(evaluator, ALICE).delay()).isEqualTo(Duration.ofSeconds(1));
		assertThat(this.published).containsExactly(RuleOutcome.ALLOWED, RuleOutcome.DELAYED);
		assertThat(send(evaluator, ALICE)).as("does not wait").isEqualTo(Verdict.UNLIMITED);
	}

	@Test
	void delayedRequestIsRefundedOnceIfItsOutcomeIsNotCharged() {
		TestEvaluator evaluator = evaluator(chargingFailures(waiting(perSecond(1), MINUTE)));
		begin(evaluator, ALICE).complete(RequestOutcome.answered(500));
		RateLimitTransaction delayed = evaluator.begin(ALICE);
		Verdict verdict = delayed.evaluate(evaluator.matched("r"), Stage.ALL);
		assertThat(verdict.delay()).isEqualTo(Duration.ofSeconds(1));
		delayed.await(verdict);
		delayed.complete(OK);
		delayed.complete(OK);
		assertThat(remaining(evaluator, "alice")).as("earned during the wait").isEqualTo(1);
		this.ticker.advance(Duration.ofMillis(999));
		assertThat(evaluate(evaluator, ALICE).delay()).isZero();
		assertThat(evaluate(evaluator, ALICE).delay()).isPositive();
	}

	// Overrides

	@Test
	void blockedCallerIsNotRejectedOutsideOfTheTimesOfTheRule() {
		Rule rule = until(START.plusSeconds(1), perSecond(10));
		TestEvaluator evaluator = evaluator(rule);
		evaluator.replace(new RuleSet(List.of(rule)).overrides(List.of(effect("alice", Effect.BLOCKED))));
		assertThat(send(evaluator, ALICE).blocked()).isTrue();
		this.ticker.advance(Duration.ofSeconds(1));
		assertThat(send(evaluator, ALICE)).isEqualTo(Verdict.UNLIMITED);
	}

	@Test
	void chargeUnderAnOverrideIsRefundedOnceAfterItsEnd() {
		Rule rule = chargingFailures(perSecond(10));
		TestEvaluator evaluator = evaluator(rule);
		evaluator.replace(new RuleSet(List.of(rule)).overrides(List.of(limit("alice", "20/s"))));
		List<RateLimitTransaction> inFlight = new ArrayList<>();
		for (int i = 0; i < 15; i++) {
			inFlight.add(begin(evaluator, ALICE));
		}
		evaluator.replace(rule);
		assertThat(send(evaluator, ALICE).allowed()).as("15 of 10").isFalse();
		inFlight.forEach((transaction) -> transaction.complete(OK));
		inFlight.forEach((transaction) -> transaction.complete(OK));
		assertThat(remaining(evaluator, "alice")).isEqualTo(10);
	}

	// Plans

	@Test
	void shadowRuleHasTheLimitsOfThePlans() {
		TestEvaluator evaluator = evaluator(plans(shadow(perSecond(1))));
		for (String plan : List.of("free", "pro", "max")) {
			for (int i = 0; i < 3; i++) {
				assertThat(send(evaluator, ALICE.on(plan)).allowed()).isTrue();
			}
		}
		assertThat(this.published).containsExactly(RuleOutcome.ALLOWED, RuleOutcome.SHADOW_REJECTED,
				RuleOutcome.SHADOW_REJECTED, RuleOutcome.ALLOWED, RuleOutcome.ALLOWED, RuleOutcome.SHADOW_REJECTED);
	}

	@Test
	void bucketOfAPlanRefillsOutsideOfTheTimes() {
		TestEvaluator evaluator = evaluator(until(START.plusSeconds(1), plans(perSecond(1))));
		assertThat(send(evaluator, ALICE.on("pro")).allowed()).isTrue();
		this.ticker.advance(Duration.ofSeconds(1));
		assertThat(send(evaluator, ALICE.on("pro"))).isEqualTo(Verdict.UNLIMITED);
		assertThat(send(evaluator, ALICE)).isEqualTo(Verdict.UNLIMITED);
		evaluator.replace(plans(perSecond(1)));
		assertThat(remaining(evaluator, "alice", "pro")).isEqualTo(2);
	}

	@Test
	void requestThatChangesThePlanOfItsCallerIsRefundedToTheBucketThatItWasChargedTo() {
		TestEvaluator evaluator = evaluator(plans(chargingFailures(perSecond(1))));
		RateLimitTransaction transaction = begin(evaluator, ALICE);
		transaction.continueAs(ALICE.on("pro"));
		assertThat(remaining(evaluator, "alice", "free")).isZero();
		transaction.complete(OK);
		assertThat(remaining(evaluator, "alice", "free")).isEqualTo(1);
		assertThat(remaining(evaluator, "alice", "pro")).isEqualTo(2);
	}

	// Shadow mode

	@Test
	void shadowRuleCountsNothingOutsideOfItsTimes() {
		TestEvaluator evaluator = evaluator(until(START.plusSeconds(1), shadow(perSecond(1))));
		send(evaluator, ALICE);
		send(evaluator, ALICE);
		this.ticker.advance(Duration.ofSeconds(1));
		send(evaluator, ALICE);
		send(evaluator, ALICE);
		assertThat(this.published).containsExactly(RuleOutcome.ALLOWED, RuleOutcome.SHADOW_REJECTED);
	}

	@Test
	void requestThatAShadowRuleWouldRejectIsNeitherRefundedNorResetsTheBucket() {
		ChargePolicy failures = new ChargePolicy(List.of(new StatusRange(500, 599)),
				List.of(new StatusRange(204, 204)));
		TestEvaluator evaluator = evaluator(shadow(perSecond(2)).options((options) -> options.with(failures)));
		begin(evaluator, ALICE).complete(RequestOutcome.answered(500));
		RateLimitTransaction allowed = begin(evaluator, ALICE);
		RateLimitTransaction rejected = begin(evaluator, ALICE);
		begin(evaluator, ALICE).complete(OK);
		rejected.complete(RequestOutcome.answered(204));
		assertThat(remaining(evaluator, "alice")).isZero();
		allowed.complete(OK);
		assertThat(remaining(evaluator, "alice")).isEqualTo(1);
	}

	// Schedules

	@Test
	void chargeIsSettledAfterTheEndOfTheTimes() {
		TestEvaluator evaluator = evaluator(until(START.plusSeconds(1), chargingFailures(perHour(3))));
		RateLimitTransaction refunded = begin(evaluator, ALICE);
		RateLimitTransaction charged = begin(evaluator, ALICE);
		this.ticker.advance(Duration.ofSeconds(1));
		refunded.complete(OK);
		charged.complete(RequestOutcome.answered(500));
		evaluator.replace(perHour(3));
		assertThat(remaining(evaluator, "alice")).isEqualTo(2);
	}

	// Forwards

	@Test
	void requestThatIsRejectedAtTheTargetOfAForwardIsCountedOnceForABan() {
		Rule banning = perHour(2)
			.options((options) -> options.with(new Banning(BanPolicy.of(3, MINUTE, MINUTE, MINUTE))));
		TestEvaluator evaluator = evaluator(banning, perHour(9, "other"));
		begin(evaluator, ALICE, "r");
		begin(evaluator, ALICE, "r");
		for (int i = 1; i <= 3; i++) {
			RateLimitTransaction transaction = begin(evaluator, ALICE, "other");
			Verdict forwarded = transaction.evaluateForward(evaluator.matched("r"), Stage.ALL);
			assertThat(forwarded.allowed()).isFalse();
			assertThat(forwarded.banned()).as("rejection " + i).isEqualTo(i == 3);
			transaction.rollback();
			transaction.complete(RequestOutcome.answered(429));
		}
		assertThat(remaining(evaluator, "other", "alice", null)).as("rejections after a forward keep charges")
			.isEqualTo(6);
	}

	@Test
	void candidateIsChargedOnceForARequestThatIsForwarded() {
		TestEvaluator evaluator = evaluator(candidate(perHour(5), "1/h"));
		begin(evaluator, ALICE).complete(OK);
		RateLimitTransaction transaction = begin(evaluator, ALICE);
		assertThat(transaction.evaluateForward(evaluator.matched("r"), Stage.ALL)).isEqualTo(Verdict.UNLIMITED);
		this.published.clear();
		transaction.complete(OK);
		assertThat(this.published).containsExactly(RuleOutcome.ALLOWED, RuleOutcome.SHADOW_REJECTED);
		assertThat(remaining(evaluator, "alice")).isEqualTo(3);
	}

	@Test
	void requestWaitsAtTheTargetOfAForwardForPermitsThatItHasNotConsumed() {
		TestEvaluator evaluator = evaluator(perHour(9, "other"), waiting(perSecond(1), MINUTE));
		send(evaluator, ALICE);
		RateLimitTransaction transaction = begin(evaluator, ALICE, "other");
		Verdict forwarded = transaction.evaluateForward(evaluator.matched("r"), Stage.ALL);
		assertThat(forwarded.delay()).isEqualTo(Duration.ofSeconds(1));
		transaction.await(forwarded);
		assertThat(transaction.evaluateForward(evaluator.matched("r"), Stage.ALL)).as("a second forward")
			.isEqualTo(Verdict.UNLIMITED);
	}

	@Test
	void overrideThatEndsBeforeAForwardDoesNotChargeTheRequestAgain() {
		Rule rule = perHour(5);
		TestEvaluator evaluator = evaluator(rule);
		CallerOverride ending = new CallerOverride("a", new Target(Kind.USER, List.of("alice")), Set.of("r"),
				Effect.LIMIT, Map.of("r", bucket("20/h")), START.plusSeconds(1), null);
		CallerOverride unlimited = new CallerOverride("b", new Target(Kind.USER, List.of("bob")), Set.of("r"),
				Effect.UNLIMITED, Map.of(), START.plusSeconds(1), null);
		evaluator.replace(new RuleSet(List.of(rule)).overrides(List.of(ending, unlimited)));
		RateLimitTransaction ofAlice = begin(evaluator, ALICE);
		RateLimitTransaction ofBob = begin(evaluator, BOB);
		this.ticker.advance(Duration.ofSeconds(1));
		assertThat(ofAlice.evaluateForward(evaluator.matched("r"), Stage.ALL)).isEqualTo(Verdict.UNLIMITED);
		assertThat(ofBob.evaluateForward(evaluator.matched("r"), Stage.ALL).decisions()).as("was not charged")
			.hasSize(1);
		assertThat(remaining(evaluator, "bob")).isEqualTo(4);
	}

	@Test
	void forwardIsChargedToTheBucketOfAnotherPlanOnce() {
		TestEvaluator evaluator = evaluator(plans(perHour(3)));
		RateLimitTransaction transaction = begin(evaluator, ALICE);
		transaction.evaluateForward(evaluator.matched("r"), Stage.ALL);
		transaction.continueAs(ALICE.on("pro"));
		transaction.evaluateForward(evaluator.matched("r"), Stage.ALL);
		transaction.evaluateForward(evaluator.matched("r"), Stage.ALL);
		assertThat(remaining(evaluator, "alice", "free")).isEqualTo(2);
		assertThat(remaining(evaluator, "alice", "pro")).as("of 6").isEqualTo(5);
	}

	@Test
	void shadowRuleIsChargedOnceForARequestThatIsForwarded() {
		TestEvaluator evaluator = evaluator(shadow(perHour(1)));
		begin(evaluator, ALICE).complete(OK);
		RateLimitTransaction transaction = begin(evaluator, ALICE);
		assertThat(transaction.evaluateForward(evaluator.matched("r"), Stage.ALL)).isEqualTo(Verdict.UNLIMITED);
		transaction.complete(OK);
		assertThat(this.published).containsExactly(RuleOutcome.ALLOWED, RuleOutcome.SHADOW_REJECTED);
	}

	@Test
	void ruleWhoseTimesBeginBeforeAForwardIsChargedAtItsTarget() {
		Rule later = perHour(3).options((options) -> options
			.with(new Schedule(List.of(new TimeRange(START.plusSeconds(1), null)), List.of(), ZoneOffset.UTC)));
		TestEvaluator evaluator = evaluator(later);
		RateLimitTransaction transaction = begin(evaluator, ALICE);
		this.ticker.advance(Duration.ofSeconds(1));
		transaction.evaluateForward(evaluator.matched("r"), Stage.ALL);
		transaction.evaluateForward(evaluator.matched("r"), Stage.ALL);
		transaction.complete(OK);
		assertThat(remaining(evaluator, "alice")).isEqualTo(2);
	}

	@Test
	void chargeOfAForwardIsSettledWithItsRequest() {
		TestEvaluator evaluator = evaluator(perHour(9, "other"), chargingFailures(perHour(3)));
		RateLimitTransaction refunded = begin(evaluator, ALICE, "other");
		refunded.evaluateForward(evaluator.matched("r"), Stage.ALL);
		RateLimitTransaction charged = begin(evaluator, ALICE, "other");
		charged.evaluateForward(evaluator.matched("r"), Stage.ALL);
		assertThat(remaining(evaluator, "alice")).isEqualTo(1);
		refunded.complete(OK);
		charged.complete(RequestOutcome.answered(500));
		assertThat(remaining(evaluator, "alice")).isEqualTo(2);
	}

	// Shards: with two shards, each request is decided by the one with more permits

	@Test
	void reducedRateIsDividedOverShards() {
		TestEvaluator evaluator = evaluator(adaptive(onShards("10/s")));
		failForTenCallers(evaluator);
		reduce(evaluator);
		assertThat(evaluator.remaining("r")).isZero();
		this.ticker.advance(Duration.ofSeconds(1));
		assertThat(evaluator.remaining("r")).isEqualTo(8);
		for (int i = 0; i < 8; i++) {
			assertThat(evaluate(evaluator, ALICE).allowed()).isTrue();
		}
		assertThat(evaluate(evaluator, ALICE).allowed()).isFalse();
	}

	@Test
	void candidateHasAsManyShards() {
		TestEvaluator evaluator = evaluator(candidate(onShards("10/h"), "5/h"));
		for (int i = 0; i < 10; i++) {
			send(evaluator, ALICE);
		}
		assertThat(this.published).filteredOn(RuleOutcome.SHADOW_REJECTED::equals).hasSize(5);
		assertThat(this.published).doesNotContain(RuleOutcome.REJECTED);
		assertThat(this.store.size()).isEqualTo(4);
	}

	@Test
	void limitOfAnOverrideIsDividedOverShards() {
		Rule rule = onShards("4/h");
		TestEvaluator evaluator = evaluator(rule);
		evaluator.replace(
				new RuleSet(List.of(rule)).overrides(List.of(limit("alice", "10/h"), effect("bob", Effect.UNLIMITED))));
		assertThat(send(evaluator, BOB)).isEqualTo(Verdict.UNLIMITED);
		for (int i = 0; i < 10; i++) {
			assertThat(send(evaluator, ALICE).allowed()).isTrue();
		}
		assertThat(send(evaluator, ALICE).allowed()).isFalse();
		assertThat(this.store.size()).isEqualTo(2);
	}

	@Test
	void eachPlanHasItsOwnShards() {
		TestEvaluator evaluator = evaluator(plans(onShards("3/h")));
		for (int i = 0; i < 6; i++) {
			assertThat(send(evaluator, ALICE.on("pro")).allowed()).isTrue();
		}
		assertThat(send(evaluator, ALICE.on("pro")).allowed()).isFalse();
		assertThat(send(evaluator, ALICE).allowed()).isTrue();
		assertThat(send(evaluator, ALICE.on("max"))).isEqualTo(Verdict.UNLIMITED);
		assertThat(this.store.size()).as("two shards of pro, and the shard that was charged last").isEqualTo(3);
	}

	@Test
	void shadowRuleOnShardsRejectsNothing() {
		TestEvaluator evaluator = evaluator(shadow(onShards("4/h")));
		for (int i = 0; i < 6; i++) {
			assertThat(send(evaluator, ALICE).allowed()).isTrue();
		}
		assertThat(this.published).filteredOn(RuleOutcome.SHADOW_REJECTED::equals).hasSize(2);
	}

	@Test
	void shardsRefillOutsideOfTheTimes() {
		Rule rule = onShards("4/s");
		TestEvaluator evaluator = evaluator(until(START.plusSeconds(1), rule));
		for (int i = 0; i < 4; i++) {
			send(evaluator, ALICE);
		}
		this.ticker.advance(Duration.ofSeconds(1));
		assertThat(send(evaluator, ALICE)).isEqualTo(Verdict.UNLIMITED);
		evaluator.replace(rule);
		assertThat(evaluator.remaining("r")).isEqualTo(4);
	}

	@Test
	void conditionalChargeIsRefundedToItsShard() {
		TestEvaluator evaluator = evaluator(chargingFailures(onShards("4/h")));
		List<RateLimitTransaction> inFlight = new ArrayList<>();
		for (int i = 0; i < 4; i++) {
			inFlight.add(begin(evaluator, ALICE));
		}
		assertThat(evaluator.remaining("r")).isZero();
		inFlight.forEach((transaction) -> transaction.complete(OK));
		inFlight.forEach((transaction) -> transaction.complete(OK));
		assertThat(evaluator.remaining("r")).isEqualTo(4);
		for (int i = 0; i < 4; i++) {
			begin(evaluator, ALICE).complete(RequestOutcome.answered(500));
		}
		assertThat(evaluator.remaining("r")).isZero();
	}

	@Test
	void forwardedRequestIsChargedToOneShard() {
		TestEvaluator evaluator = evaluator(onShards("4/h"));
		RateLimitTransaction transaction = begin(evaluator, ALICE);
		assertThat(transaction.evaluateForward(evaluator.matched("r"), Stage.ALL)).isEqualTo(Verdict.UNLIMITED);
		transaction.complete(OK);
		assertThat(evaluator.remaining("r")).isEqualTo(3);
	}

	@Test
	void reportedLevelLowersAllShards() {
		TestEvaluator evaluator = evaluator(onShards("100/m"));
		evaluator.limiter().acquire(PermitRequest.of("r").cost(60));
		evaluator.limiter().syncRemaining(PermitRequest.of("r"), 20, Duration.ZERO);
		assertThat(evaluator.remaining("r")).isEqualTo(20);
		evaluator.limiter().syncRemaining(PermitRequest.of("r"), 0, Duration.ofSeconds(10));
		assertThat(evaluator.remaining("r")).isZero();
		this.ticker.advance(Duration.ofSeconds(9));
		assertThat(evaluator.remaining("r")).isZero();
		this.ticker.advance(Duration.ofSeconds(3));
		assertThat(evaluator.remaining("r")).isPositive();
	}

	@Test
	void bucketOfAnAddressHasNoShards() {
		Rule rule = onShards("4/h").scope(Scope.of(Scope.PLAN));
		TestEvaluator evaluator = evaluator(rule);
		for (int i = 0; i < 4; i++) {
			assertThat(send(evaluator, SimpleCaller.at("192.0.2.1")).allowed()).isTrue();
		}
		assertThat(send(evaluator, SimpleCaller.at("192.0.2.1")).allowed()).isFalse();
		assertThat(this.store.size()).isEqualTo(1);
		send(evaluator, ALICE.on("pro"));
		send(evaluator, ALICE.on("pro"));
		assertThat(this.store.size()).isEqualTo(3);
	}

	/** A rule whose callers share a bucket with two shards. */
	private static Rule onShards(String rate) {
		return TestRules.rule("r", bucket(rate)).options((options) -> options.with(new Shards(2)));
	}

	private static Rule perSecond(long permits) {
		return rule(permits + "/s", "r");
	}

	private static Rule perHour(long permits) {
		return perHour(permits, "r");
	}

	private static Rule perHour(long permits, String id) {
		return rule(permits + "/h", id);
	}

	private static Rule rule(String rate, String id) {
		return TestRules.rule(id, bucket(rate)).scope(Scope.of(Scope.USER));
	}

	private static Limit bucket(String rate) {
		return new TokenBucket(Rate.parse(rate));
	}

	private static Rule adaptive(Rule rule) {
		AdaptivePolicy policy = new AdaptivePolicy(Rate.parse("1/h"), null, 0.0, "overload", MINUTE, "r", 0);
		return rule.options((options) -> options.with(policy));
	}

	private static Rule candidate(Rule rule, String rate) {
		return rule.options((options) -> options.with(new CandidateLimits(new RuleLimits(bucket(rate)))));
	}

	private static Rule waiting(Rule rule, Duration most) {
		return rule.options((options) -> options.with(new ReservationOptions(0, most)));
	}

	/** Twice the rate for the plan pro, and no limit for the plan max. */
	private static Rule plans(Rule rule) {
		Rate rate = rule.limits().standard().rate();
		Limit twice = new TokenBucket(new Rate(2 * rate.permits(), rate.period()));
		return new Rule(rule.id(), rule.selection(), rule.scope(), new RuleLimits(rule.limits().standard(),
				Map.of("pro", new PlanLimit(twice), "max", PlanLimit.UNLIMITED)), rule.cost(), rule.options());
	}

	private static Rule shadow(Rule rule) {
		return rule.options((options) -> options.mode(RuleMode.SHADOW));
	}

	private static Rule until(Instant end, Rule rule) {
		Schedule times = new Schedule(List.of(new TimeRange(null, end)), List.of(), ZoneOffset.UTC);
		return rule.options((options) -> options.with(times));
	}

	private static Rule chargingFailures(Rule rule) {
		return rule.options((options) -> options.with(new ChargePolicy(List.of(new StatusRange(500, 599)), List.of())));
	}

	private static CallerOverride limit(String user, String rate) {
		return new CallerOverride(user, new Target(Kind.USER, List.of(user)), Set.of("r"), Effect.LIMIT,
				Map.of("r", bucket(rate)), null, null);
	}

	private static CallerOverride effect(String user, Effect effect) {
		return new CallerOverride(user, new Target(Kind.USER, List.of(user)), Set.of(), effect, Map.of(), null, null);
	}

	private TestEvaluator evaluator(Rule... rules) {
		VerdictPublisher publisher = new VerdictPublisher(EvaluationObserver.NONE, () -> List.of((verdict,
				caller) -> verdict.decisions().forEach((decision) -> this.published.add(decision.outcome()))));
		RuleCompiler compiler = new RuleCompiler(Map.of(), TestEvaluators.PLAIN_KEYS,
				StandardOptions.of(() -> START.plus(this.ticker.ticks(), ChronoUnit.MICROS),
						Map.of("overload", () -> this.overloaded), this.ticker));
		return new TestEvaluator(new ActiveRules(compiler, new RuleSet(List.of(rules))),
				new RateLimitEvaluator(new ShardedBuckets(this.store, this.ticker), publisher, this.queue));
	}

	private void sleep(Duration time) {
		this.ticker.advance(time);
		this.duringWaits.run();
	}

	/** Begins a request without waiting. */
	private static Verdict evaluate(TestEvaluator evaluator, SimpleCaller caller) {
		return evaluator.begin(caller).evaluate(evaluator.matched("r"), Stage.ALL);
	}

	private static RateLimitTransaction begin(TestEvaluator evaluator, SimpleCaller caller) {
		return begin(evaluator, caller, "r");
	}

	/** Begins a request that is allowed. */
	private static RateLimitTransaction begin(TestEvaluator evaluator, SimpleCaller caller, String rule) {
		RateLimitTransaction transaction = evaluator.begin(caller);
		assertThat(transaction.evaluate(evaluator.matched(rule), Stage.ALL).allowed()).isTrue();
		return transaction;
	}

	/** Sends a request that waits for its permits and is answered with the status 200. */
	private static Verdict send(TestEvaluator evaluator, SimpleCaller caller) {
		RateLimitTransaction transaction = evaluator.begin(caller);
		Verdict verdict = transaction.evaluate(evaluator.matched("r"), Stage.ALL);
		transaction.await(verdict);
		transaction.begin(verdict);
		transaction.complete(OK);
		return verdict;
	}

	private static void failForTenCallers(TestEvaluator evaluator) {
		for (int i = 0; i < 10; i++) {
			RateLimitTransaction transaction = evaluator.begin(ALICE.as("user" + i));
			transaction.begin(transaction.evaluate(evaluator.matched("r"), Stage.ALL));
			transaction.complete(RequestOutcome.answered(500));
		}
	}

	private void reduce(TestEvaluator evaluator) {
		this.overloaded = true;
		update(evaluator);
		assertThat(share(evaluator)).isEqualTo(0.8);
	}

	private void update(TestEvaluator evaluator) {
		evaluator.activeRules().current().option(AdaptiveRates.class).update(this.store);
	}

	private static double share(TestEvaluator evaluator) {
		AdaptiveRate rate = evaluator.adaptiveRate("r");
		return rate.share().doubleValue();
	}

	private static long remaining(TestEvaluator evaluator, String user) {
		return remaining(evaluator, user, null);
	}

	private static long remaining(TestEvaluator evaluator, String user, @Nullable String plan) {
		return remaining(evaluator, "r", user, plan);
	}

	private static long remaining(TestEvaluator evaluator, String rule, String user, @Nullable String plan) {
		PermitRequest request = PermitRequest.of(rule).user(user).cost(0).plan(plan);
		return evaluator.limiter().peek(request).decisions().get(0).decision().remaining();
	}

}
