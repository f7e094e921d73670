package io.tierlimit.evaluation;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.tierlimit.RuleDecision;
import io.tierlimit.RuleOutcome;
import io.tierlimit.Verdict;
import io.tierlimit.limit.Concurrency;
import io.tierlimit.rule.CallerOverride;
import io.tierlimit.rule.CallerOverride.Effect;
import io.tierlimit.rule.CallerOverride.Kind;
import io.tierlimit.rule.PlanLimit;
import io.tierlimit.rule.Rule;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests concurrency limits with other features. See docs/contributing/evidence.md.
 */
class ConcurrencyPairsTests extends SimulatedTraffic {

	@Test
	void candidateHoldsItsOwnPermitsAndRejectsNothing() {
		TestEvaluator evaluator = evaluator(candidate(inUse(3), Concurrency.of(1, Duration.ofHours(1))));
		RateLimitTransaction first = begin(evaluator, ALICE);
		RateLimitTransaction second = evaluator.begin(ALICE);
		assertThat(outcomes(second, evaluator)).containsExactly(RuleOutcome.ALLOWED, RuleOutcome.SHADOW_REJECTED);
		second.complete(OK);
		first.complete(OK);
		RateLimitTransaction third = evaluator.begin(ALICE);
		assertThat(outcomes(third, evaluator)).as("both were released")
			.containsExactly(RuleOutcome.ALLOWED, RuleOutcome.ALLOWED);
		assertThat(remaining(evaluator, "alice")).isEqualTo(2);
	}

	@Test
	void candidateWithARateConsumesPermitsThatTheRuleHolds() {
		TestEvaluator evaluator = evaluator(candidate(inUse(1), bucket("2/h")));
		for (int i = 0; i < 3; i++) {
			RateLimitTransaction transaction = evaluator.begin(ALICE);
			assertThat(outcomes(transaction, evaluator)).as("request %s", i)
				.containsExactly(RuleOutcome.ALLOWED, (i < 2) ? RuleOutcome.ALLOWED : RuleOutcome.SHADOW_REJECTED);
			transaction.complete(OK);
		}
	}

	@Test
	void candidateHoldsPermitsThatTheRuleConsumes() {
		TestEvaluator evaluator = evaluator(candidate(perUser("9/h"), Concurrency.of(1, Duration.ofHours(1))));
		RateLimitTransaction first = begin(evaluator, ALICE);
		RateLimitTransaction second = evaluator.begin(ALICE);
		assertThat(outcomes(second, evaluator)).containsExactly(RuleOutcome.ALLOWED, RuleOutcome.SHADOW_REJECTED);
		first.complete(OK);
		second.complete(OK);
		assertThat(outcomes(evaluator.begin(ALICE), evaluator)).containsExactly(RuleOutcome.ALLOWED,
				RuleOutcome.ALLOWED);
		assertThat(remaining(evaluator, "alice")).isEqualTo(6);
	}

	@Test
	void overrideReplacesTheLimitAndItsPermitsAreReleasedAfterItsEnd() {
		Rule rule = inUse(1);
		CallerOverride three = limit(Kind.USER, "alice", Concurrency.of(3, Duration.ofHours(1)), START.plusSeconds(1));
		TestEvaluator evaluator = evaluator(overridden(rule, three));
		List<RateLimitTransaction> running = begin(3, evaluator, ALICE);
		assertThat(evaluate(evaluator, ALICE).allowed()).isFalse();
		begin(evaluator, BOB);
		assertThat(evaluate(evaluator, BOB).allowed()).isFalse();
		this.ticker.advance(Duration.ofSeconds(1));
		running.get(0).complete(OK);
		assertThat(evaluate(evaluator, ALICE).allowed()).as("2 of 1").isFalse();
		running.forEach((transaction) -> transaction.complete(OK));
		assertThat(remaining(evaluator, "alice")).isEqualTo(1);
	}

	@Test
	void unlimitedCallerHoldsNothing() {
		Rule rule = inUse(1);
		TestEvaluator evaluator = evaluator(overridden(rule, effect("alice", Effect.UNLIMITED)));
		begin(evaluator, ALICE);
		begin(evaluator, ALICE).complete(OK);
		assertThat(this.store.size()).isZero();
	}

	@Test
	void permitIsReleasedToTheBucketOfThePlanThatHeldIt() {
		TestEvaluator evaluator = evaluator(plans(inUse(1),
				Map.of("pro", new PlanLimit(Concurrency.of(2, Duration.ofHours(1))), "max", PlanLimit.UNLIMITED)));
		RateLimitTransaction free = begin(evaluator, ALICE);
		assertThat(evaluate(evaluator, ALICE).allowed()).isFalse();
		RateLimitTransaction pro = begin(evaluator, ALICE.on("pro"));
		begin(evaluator, ALICE.on("max")).complete(OK);
		assertThat(remaining(evaluator, "alice", "pro")).isEqualTo(1);
		free.continueAs(ALICE.on("pro"));
		free.complete(OK);
		assertThat(remaining(evaluator, "alice", null)).isEqualTo(1);
		assertThat(remaining(evaluator, "alice", "pro")).isEqualTo(1);
		pro.complete(OK);
		assertThat(remaining(evaluator, "alice", "pro")).isEqualTo(2);
	}

	@Test
	void shadowRuleRejectsNothingAndReleasesThePermitsOfAllowedRequestsOnly() {
		TestEvaluator evaluator = evaluator(shadow(inUse(1)));
		RateLimitTransaction first = begin(evaluator, ALICE);
		RateLimitTransaction second = evaluator.begin(ALICE);
		assertThat(outcomes(second, evaluator)).containsExactly(RuleOutcome.SHADOW_REJECTED);
		second.complete(OK);
		assertThat(remaining(evaluator, "alice")).isZero();
		first.complete(OK);
		assertThat(remaining(evaluator, "alice")).isEqualTo(1);
	}

	@Test
	void permitIsReleasedAfterTheTimesOfItsRule() {
		TestEvaluator evaluator = evaluator(until(START.plusSeconds(1), inUse(1)));
		RateLimitTransaction running = begin(evaluator, ALICE);
		this.ticker.advance(Duration.ofSeconds(1));
		assertThat(evaluate(evaluator, ALICE)).isEqualTo(Verdict.UNLIMITED);
		running.complete(OK);
		evaluator.replace(inUse(1));
		assertThat(remaining(evaluator, "alice")).isEqualTo(1);
	}

	@Test
	void forwardedRequestHoldsOnePermit() {
		TestEvaluator evaluator = evaluator(inUse(2), inUse(2, "other"));
		RateLimitTransaction transaction = begin(evaluator, ALICE);
		transaction.evaluateForward(evaluator.matched("r", "other"), Stage.ALL);
		transaction.evaluateForward(evaluator.matched("r", "other"), Stage.ALL);
		assertThat(remaining(evaluator, "alice")).isEqualTo(1);
		assertThat(remaining(evaluator, "other", "alice", null)).as("only at the target").isEqualTo(1);
		transaction.complete(OK);
		transaction.complete(OK);
		assertThat(remaining(evaluator, "alice")).isEqualTo(2);
		assertThat(remaining(evaluator, "other", "alice", null)).isEqualTo(2);
	}

	/** All or nothing: a violated rate leaves no permit in use, and the reverse. */
	@Test
	void rateAndConcurrencyAreDecidedTogether() {
		TestEvaluator evaluator = evaluator(inUse(2), perUser("rate", bucket("1/h")));
		begin(evaluator, ALICE, "r", "rate").complete(OK);
		assertThat(evaluator.begin(ALICE).evaluate(evaluator.matched("r", "rate"), Stage.ALL).allowed()).isFalse();
		assertThat(remaining(evaluator, "alice")).isEqualTo(2);
		begin(evaluator, BOB);
		begin(evaluator, BOB);
		assertThat(evaluator.begin(BOB).evaluate(evaluator.matched("r", "rate"), Stage.ALL).allowed()).isFalse();
		assertThat(remaining(evaluator, "rate", "bob", null)).isEqualTo(1);
	}

	private static Rule inUse(long permits) {
		return inUse(permits, "r");
	}

	private static Rule inUse(long permits, String id) {
		return perUser(id, Concurrency.of(permits, Duration.ofHours(1)));
	}

	private static List<RuleOutcome> outcomes(RateLimitTransaction transaction, TestEvaluator evaluator) {
		return evaluate(evaluator, transaction).decisions().stream().map(RuleDecision::outcome).toList();
	}

}
