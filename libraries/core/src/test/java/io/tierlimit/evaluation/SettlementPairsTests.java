package io.tierlimit.evaluation;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.tierlimit.EstimatedCost;
import io.tierlimit.PermitRequest;
import io.tierlimit.RuleDecision;
import io.tierlimit.RuleOutcome;
import io.tierlimit.Verdict;
import io.tierlimit.key.SimpleCaller;
import io.tierlimit.limit.BanPolicy;
import io.tierlimit.limit.Limit;
import io.tierlimit.option.ban.Banning;
import io.tierlimit.option.candidate.CandidateLimits;
import io.tierlimit.option.settlement.ActualCost;
import io.tierlimit.option.shard.Shards;
import io.tierlimit.option.share.EnforcedShare;
import io.tierlimit.option.wait.ReservationOptions;
import io.tierlimit.rule.CallerOverride.Effect;
import io.tierlimit.rule.OptionValue;
import io.tierlimit.rule.PlanLimit;
import io.tierlimit.rule.RequestOutcome;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.RuleLimits;
import io.tierlimit.rule.Scope;
import io.tierlimit.rule.TestRules;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests actual costs with other features. See docs/contributing/evidence.md.
 */
class SettlementPairsTests extends SettledTraffic {

	private static final PermitRequest OF_ALICE = PermitRequest.of("r").user("alice");

	// Adaptive rates

	@Test
	void chargeBeforeTheRateIsReducedIsNotReturnedButConsumesMore() {
		TestEvaluator evaluator = evaluator(adaptive(tokens(100)));
		RateLimitTransaction less = begin(evaluator, ALICE);
		RateLimitTransaction more = begin(evaluator, ALICE);
		reduce(evaluator);
		settle(begin(evaluator, ALICE), 10);
		assertThat(remaining(evaluator, "alice")).isEqualTo(70);
		settle(less, 0);
		assertThat(remaining(evaluator, "alice")).isEqualTo(70);
		settle(more, 25);
		assertThat(remaining(evaluator, "alice")).isEqualTo(55);
	}

	// Bans

	@Test
	void settlementLiftsNoBanAndRejectionsForDebtAreCounted() {
		TestEvaluator evaluator = evaluator(tokens(25, new Banning(BanPolicy.of(2, MINUTE, MINUTE, MINUTE))));
		RateLimitTransaction less = begin(evaluator, ALICE);
		settle(begin(evaluator, ALICE), 35);
		assertThat(evaluate(evaluator, ALICE).banned()).as("after one rejection").isFalse();
		assertThat(evaluate(evaluator, ALICE).banned()).as("after two rejections").isTrue();
		assertThat(consumed(evaluator, OF_ALICE)).isEqualTo(45);
		settle(less, 0);
		this.ticker.advance(MINUTE.minusSeconds(1));
		assertThat(evaluate(evaluator, ALICE).banned()).isTrue();
	}

	// Candidates

	@Test
	void candidateOwesItsOwnDebt() {
		TestEvaluator evaluator = evaluator(tokens(100, new CandidateLimits(new RuleLimits(TestRules.bucket(20)))));
		settle(begin(evaluator, ALICE), 70);
		assertThat(consumed(evaluator, OF_ALICE)).isEqualTo(70);
		assertThat(consumed(evaluator, PermitRequest.of("r.candidate").user("alice"))).as("20 permits and as much debt")
			.isEqualTo(40);
		assertThat(evaluate(evaluator, ALICE).decisions()).extracting(RuleDecision::outcome)
			.containsExactly(RuleOutcome.ALLOWED, RuleOutcome.SHADOW_REJECTED);
	}

	// Waits and reservations

	@Test
	void requestWaitsUntilTheDebtIsRepaid() {
		TestEvaluator evaluator = evaluator(
				tokens(bucket("10/m"), null, new ReservationOptions(0, MINUTE.multipliedBy(2))));
		settle(begin(evaluator, ALICE), 15);
		RateLimitTransaction waiting = evaluator.begin(ALICE);
		assertThat(evaluate(evaluator, waiting).delay()).isEqualTo(Duration.ofSeconds(90));
		assertThat(evaluate(evaluator, ALICE).allowed()).as("after 150 seconds").isFalse();
		settle(waiting, 5);
		assertThat(evaluate(evaluator, ALICE).delay()).as("5 fewer permits").isEqualTo(MINUTE.multipliedBy(2));
	}

	@Test
	void reservationsAndSettlementsHaveOneLevelWithTheirOwnBounds() {
		TestEvaluator evaluator = evaluator(
				tokens(TestRules.bucket(100), 30L, new ReservationOptions(50, Duration.ZERO)));
		RateLimitTransaction running = begin(evaluator, ALICE);
		settle(begin(evaluator, ALICE), 500);
		assertThat(consumed(evaluator, OF_ALICE)).isEqualTo(130);
		PermitRequest twenty = OF_ALICE.cost(20);
		assertThat(evaluator.limiter().reserve(twenty).delay()).isPositive();
		settle(running, 500);
		assertThat(consumed(evaluator, OF_ALICE)).as("no further debt").isEqualTo(150);
	}

	// Overrides and plans

	@Test
	void costIsSettledUnderTheOverrideAfterItsEnd() {
		Rule rule = tokens(10);
		TestEvaluator evaluator = evaluator(overridden(rule, limit("alice", TestRules.bucket(50))));
		RateLimitTransaction less = begin(evaluator, ALICE);
		RateLimitTransaction more = begin(evaluator, ALICE);
		evaluator.replace(rule);
		settle(less, 4);
		settle(more, 80);
		assertThat(consumed(evaluator, OF_ALICE)).as("a debt of 34 permits").isEqualTo(44);
	}

	@Test
	void costOfAnUnlimitedCallerIsNotSettled() {
		Rule rule = tokens(100);
		TestEvaluator evaluator = evaluator(overridden(rule, effect("alice", Effect.UNLIMITED)));
		RateLimitTransaction transaction = begin(evaluator, ALICE);
		assertThat(transaction.estimatedCost("r").meter(500)).isFalse();
		assertThat(transaction.estimatedCost("r").settle(500)).isFalse();
		transaction.complete(OK);
		assertThat(this.store.size()).isZero();
	}

	@Test
	void costIsSettledInTheBucketOfThePlanThatWasCharged() {
		TestEvaluator evaluator = evaluator(plans(tokens(100), Map.of("pro", new PlanLimit(TestRules.bucket(200)))));
		RateLimitTransaction transaction = begin(evaluator, ALICE);
		transaction.continueAs(ALICE.on("pro"));
		settle(transaction, 500);
		assertThat(consumed(evaluator, OF_ALICE)).as("100 permits and as much debt").isEqualTo(200);
		assertThat(consumed(evaluator, OF_ALICE.plan("pro"))).isZero();
	}

	// Shadow mode

	@Test
	void shadowRuleOwesDebtButRejectsNothingAndSettlesAllowedRequestsOnly() {
		TestEvaluator evaluator = evaluator(shadow(tokens(100)));
		settle(begin(evaluator, ALICE), 120);
		assertThat(consumed(evaluator, OF_ALICE)).isEqualTo(120);
		RateLimitTransaction rejected = begin(evaluator, ALICE);
		rejected.estimatedCost("r").meter(40);
		runBackground();
		settle(rejected, 50);
		assertThat(consumed(evaluator, OF_ALICE)).isEqualTo(120);
	}

	@Test
	void meteringEndsNoResponseOfAKeyWithoutEnforcement() {
		TestEvaluator evaluator = evaluator(tokens(100, new EnforcedShare(0.5)));
		Set<Boolean> found = new HashSet<>();
		for (int i = 0; i < 20; i++) {
			SimpleCaller caller = ALICE.as("user" + i);
			RateLimitTransaction transaction = evaluator.begin(caller);
			boolean enforced = !evaluate(evaluator, transaction).decisions().get(0).shadow();
			EstimatedCost cost = transaction.estimatedCost("r");
			cost.meter(500);
			runBackground();
			assertThat(cost.meter(500)).isEqualTo(enforced);
			assertThat(consumed(evaluator, PermitRequest.of("r").user("user" + i))).isEqualTo(200);
			found.add(enforced);
		}
		assertThat(found).containsOnly(true, false);
	}

	// Schedules

	@Test
	void costIsSettledAfterTheTimesOfItsRule() {
		TestEvaluator evaluator = evaluator(until(START.plusSeconds(1), tokens(100)));
		RateLimitTransaction less = begin(evaluator, ALICE);
		RateLimitTransaction more = begin(evaluator, ALICE);
		this.ticker.advance(Duration.ofSeconds(1));
		assertThat(evaluate(evaluator, ALICE)).isEqualTo(Verdict.UNLIMITED);
		settle(less, 3);
		settle(more, 30);
		evaluator.replace(tokens(100));
		assertThat(consumed(evaluator, OF_ALICE)).isEqualTo(33);
	}

	// Outcomes

	@Test
	void resetOrRefundByTheOutcomeComesFirst() {
		TestEvaluator evaluator = evaluator(charging(tokens(100), "2xx", "404"));
		RateLimitTransaction refunded = begin(evaluator, ALICE);
		refunded.estimatedCost("r").settle(70);
		refunded.complete(FAILURE);
		assertThat(consumed(evaluator, OF_ALICE)).isZero();
		settle(begin(evaluator, ALICE), 30);
		assertThat(consumed(evaluator, OF_ALICE)).isEqualTo(30);
		RateLimitTransaction reset = evaluator.begin(ALICE);
		reset.evaluate(List.of(new MatchedRule(evaluator.rule("r"), null, MatchedRule.Handling.NAMED)), Stage.ALL);
		reset.estimatedCost("r").settle(70);
		reset.complete(RequestOutcome.answered(404));
		assertThat(consumed(evaluator, OF_ALICE)).isZero();
	}

	// Shards

	@Test
	void costIsReturnedToTheShardsThatWereChargedAndConsumedFromAll() {
		TestEvaluator evaluator = evaluator(onFourShards(null));
		settle(begin(evaluator, ALICE), 4);
		assertThat(evaluator.remaining("r")).isEqualTo(96);
		settle(begin(evaluator, ALICE), 22);
		assertThat(evaluator.remaining("r")).isEqualTo(74);
	}

	@Test
	void eachShardOwesItsPartOfTheDebt() {
		Rule rule = onFourShards(40L);
		TestEvaluator evaluator = evaluator(rule);
		settle(begin(evaluator, ALICE), 500);
		evaluator.replace(rule.options((options) -> options.without(ActualCost.class)));
		assertThat(evaluator.remaining("r")).isZero();
		this.ticker.advance(Duration.ofDays(1));
		assertThat(evaluator.remaining("r")).as("each shard owed 10 of 25 permits").isEqualTo(60);
	}

	/** A rule whose callers share 100 permits. */
	private static Rule onFourShards(@Nullable Long maxDebt) {
		return with(tokens(bucket("100/d"), maxDebt).scope(Scope.of()), new Shards(4));
	}

	/** A rule per user with the estimate 10, whose code reports the actual cost. */
	private static Rule tokens(long permits, OptionValue... options) {
		return tokens(TestRules.bucket(permits), null, options);
	}

	private static Rule tokens(Limit limit, @Nullable Long maxDebt, OptionValue... others) {
		return with(with(perUser("r", limit).cost("10"), new ActualCost("metered", maxDebt)), others);
	}

	/** Ends a request with its actual cost. */
	private static void settle(RateLimitTransaction transaction, long actual) {
		transaction.estimatedCost("r").settle(actual);
		transaction.complete(OK);
	}

}
