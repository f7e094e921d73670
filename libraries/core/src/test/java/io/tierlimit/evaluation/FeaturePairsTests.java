package io.tierlimit.evaluation;

import java.time.Duration;
import java.util.List;

import io.tierlimit.PermitRequest;
import io.tierlimit.RuleDecision;
import io.tierlimit.RuleOutcome;
import io.tierlimit.Verdict;
import io.tierlimit.option.outcome.ChargePolicy;
import io.tierlimit.option.outcome.StatusRange;
import io.tierlimit.rule.CallerOverride.Effect;
import io.tierlimit.rule.RequestOutcome;
import io.tierlimit.rule.Rule;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests pairs of features that no other test combines. See docs/contributing/evidence.md.
 */
class FeaturePairsTests extends SimulatedTraffic {

	// Adaptive rates

	@Test
	void adaptiveRuleInShadowModeIsMeasuredAndRejectsNothing() {
		TestEvaluator evaluator = evaluator(adaptive(shadow(perUser("10/s"))));
		failForTenCallers(evaluator);
		update(evaluator);
		assertThat(share(evaluator)).isEqualTo(0.8);
		assertThat(allowed(evaluator, ALICE, 20)).isEqualTo(20);
		assertThat(this.published).contains(RuleOutcome.SHADOW_REJECTED).doesNotContain(RuleOutcome.REJECTED);
	}

	@Test
	void ruleIsNotMeasuredOutsideOfItsTimes() {
		TestEvaluator evaluator = evaluator(until(START.plusSeconds(1), adaptive(perUser("10/s"))));
		this.ticker.advance(Duration.ofSeconds(1));
		failForTenCallers(evaluator);
		update(evaluator);
		assertThat(share(evaluator)).isEqualTo(1);
	}

	@Test
	void conditionalChargeIsRefundedOnceAlthoughTheRateIsReducedBeforeTheEnd() {
		TestEvaluator evaluator = evaluator(adaptive(charging(perUser("10/s"), "5xx")));
		RateLimitTransaction transaction = begin(evaluator, ALICE);
		assertThat(remaining(evaluator, "alice")).isEqualTo(9);
		reduce(evaluator);
		transaction.complete(OK);
		transaction.complete(OK);
		assertThat(remaining(evaluator, "alice")).isEqualTo(10);
	}

	@Test
	void requestWaitsForPermitsAtTheReducedRateAndNotLongerThanTheMaximum() {
		TestEvaluator evaluator = evaluator(adaptive(waiting(perUser("1/s"), Duration.ofSeconds(2))));
		reduce(evaluator);
		assertThat(send(evaluator, ALICE).delay()).isZero();
		assertThat(evaluate(evaluator, ALICE).delay()).isEqualTo(Duration.ofMillis(1250));
		assertThat(evaluate(evaluator, ALICE).allowed()).as("after 2.5 s").isFalse();
	}

	// Candidates

	@Test
	void candidateDelaysNoRequest() {
		TestEvaluator evaluator = evaluator(candidate(waiting(perUser("100/s"), MINUTE), bucket("1/s")));
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
		TestEvaluator evaluator = evaluator(until(START.plusSeconds(1), candidate(perUser("10/s"), bucket("5/h"))));
		assertThat(send(evaluator, ALICE).decisions()).hasSize(2);
		this.ticker.advance(Duration.ofSeconds(1));
		assertThat(send(evaluator, ALICE)).isEqualTo(Verdict.UNLIMITED);
		assertThat(evaluator.limiter().tryAcquire(PermitRequest.of("r").user("alice"))).isEqualTo(Verdict.UNLIMITED);
	}

	// Waits

	@Test
	void callerWaitsForItsOwnLimitAndNeitherIfItIsUnlimitedNorIfItIsBlocked() {
		Rule rule = waiting(perUser("1/s"), MINUTE);
		TestEvaluator evaluator = evaluator(overridden(rule, limit("alice", bucket("2/s")),
				effect("bob", Effect.UNLIMITED), effect("carol", Effect.BLOCKED)));
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
		Rule rule = waiting(perUser("1/s"), MINUTE);
		TestEvaluator evaluator = evaluator(rule);
		send(evaluator, ALICE);
		this.duringWaits = () -> evaluator.replace(overridden(rule, effect("alice", Effect.BLOCKED)));
		assertThat(send(evaluator, ALICE).allowed()).isTrue();
		assertThat(this.published).containsExactly(RuleOutcome.ALLOWED, RuleOutcome.DELAYED);
		assertThat(send(evaluator, ALICE).blocked()).isTrue();
	}

	@Test
	void callersWaitForTheLimitsOfTheirPlans() {
		TestEvaluator evaluator = evaluator(plans(waiting(perUser("1/s"), MINUTE)));
		evaluate(evaluator, ALICE);
		assertThat(evaluate(evaluator, ALICE).delay()).isEqualTo(Duration.ofSeconds(1));
		evaluate(evaluator, ALICE.on("pro"));
		evaluate(evaluator, ALICE.on("pro"));
		assertThat(evaluate(evaluator, ALICE.on("pro")).delay()).isEqualTo(Duration.ofMillis(500));
		assertThat(evaluate(evaluator, ALICE.on("max"))).isEqualTo(Verdict.UNLIMITED);
	}

	@Test
	void requestWaitsEvenIfTheTimesOfTheRuleEndDuringTheWait() {
		TestEvaluator evaluator = evaluator(until(START.plusMillis(500), waiting(perUser("1/s"), MINUTE)));
		send(evaluator, ALICE);
		assertThat(send(evaluator, ALICE).delay()).isEqualTo(Duration.ofSeconds(1));
		assertThat(this.published).containsExactly(RuleOutcome.ALLOWED, RuleOutcome.DELAYED);
		assertThat(send(evaluator, ALICE)).as("does not wait").isEqualTo(Verdict.UNLIMITED);
	}

	@Test
	void delayedRequestIsRefundedOnceIfItsOutcomeIsNotCharged() {
		TestEvaluator evaluator = evaluator(charging(waiting(perUser("1/s"), MINUTE), "5xx"));
		begin(evaluator, ALICE).complete(FAILURE);
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
		Rule rule = until(START.plusSeconds(1), perUser("10/s"));
		TestEvaluator evaluator = evaluator(overridden(rule, effect("alice", Effect.BLOCKED)));
		assertThat(send(evaluator, ALICE).blocked()).isTrue();
		this.ticker.advance(Duration.ofSeconds(1));
		assertThat(send(evaluator, ALICE)).isEqualTo(Verdict.UNLIMITED);
	}

	@Test
	void chargeUnderAnOverrideIsRefundedOnceAfterItsEnd() {
		Rule rule = charging(perUser("10/s"), "5xx");
		TestEvaluator evaluator = evaluator(overridden(rule, limit("alice", bucket("20/s"))));
		List<RateLimitTransaction> inFlight = begin(15, evaluator, ALICE);
		evaluator.replace(rule);
		assertThat(send(evaluator, ALICE).allowed()).as("15 of 10").isFalse();
		inFlight.forEach((transaction) -> transaction.complete(OK));
		inFlight.forEach((transaction) -> transaction.complete(OK));
		assertThat(remaining(evaluator, "alice")).isEqualTo(10);
	}

	// Plans

	@Test
	void shadowRuleHasTheLimitsOfThePlans() {
		TestEvaluator evaluator = evaluator(plans(shadow(perUser("1/s"))));
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
		TestEvaluator evaluator = evaluator(until(START.plusSeconds(1), plans(perUser("1/s"))));
		assertThat(send(evaluator, ALICE.on("pro")).allowed()).isTrue();
		this.ticker.advance(Duration.ofSeconds(1));
		assertThat(send(evaluator, ALICE.on("pro"))).isEqualTo(Verdict.UNLIMITED);
		assertThat(send(evaluator, ALICE)).isEqualTo(Verdict.UNLIMITED);
		evaluator.replace(plans(perUser("1/s")));
		assertThat(remaining(evaluator, "alice", "pro")).isEqualTo(2);
	}

	@Test
	void requestThatChangesThePlanOfItsCallerIsRefundedToTheBucketThatItWasChargedTo() {
		TestEvaluator evaluator = evaluator(plans(charging(perUser("1/s"), "5xx")));
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
		TestEvaluator evaluator = evaluator(until(START.plusSeconds(1), shadow(perUser("1/s"))));
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
		TestEvaluator evaluator = evaluator(shadow(perUser("2/s")).options((options) -> options.with(failures)));
		begin(evaluator, ALICE).complete(FAILURE);
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
		TestEvaluator evaluator = evaluator(until(START.plusSeconds(1), charging(perUser("3/h"), "5xx")));
		RateLimitTransaction refunded = begin(evaluator, ALICE);
		RateLimitTransaction charged = begin(evaluator, ALICE);
		this.ticker.advance(Duration.ofSeconds(1));
		refunded.complete(OK);
		charged.complete(FAILURE);
		evaluator.replace(perUser("3/h"));
		assertThat(remaining(evaluator, "alice")).isEqualTo(2);
	}

}
