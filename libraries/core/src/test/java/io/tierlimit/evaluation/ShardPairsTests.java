package io.tierlimit.evaluation;

import java.time.Duration;
import java.util.List;

import io.tierlimit.PermitRequest;
import io.tierlimit.RuleOutcome;
import io.tierlimit.Verdict;
import io.tierlimit.key.SimpleCaller;
import io.tierlimit.option.shard.Shards;
import io.tierlimit.rule.CallerOverride.Effect;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.Scope;
import io.tierlimit.rule.TestRules;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests shards with other features: with two shards, each request is decided by the one
 * with more permits. See docs/contributing/evidence.md.
 */
class ShardPairsTests extends SimulatedTraffic {

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
		TestEvaluator evaluator = evaluator(candidate(onShards("10/h"), bucket("5/h")));
		allowed(evaluator, ALICE, 10);
		assertThat(this.published).filteredOn(RuleOutcome.SHADOW_REJECTED::equals).hasSize(5);
		assertThat(this.published).doesNotContain(RuleOutcome.REJECTED);
		assertThat(this.store.size()).isEqualTo(4);
	}

	@Test
	void limitOfAnOverrideIsDividedOverShards() {
		Rule rule = onShards("4/h");
		TestEvaluator evaluator = evaluator(
				overridden(rule, limit("alice", bucket("10/h")), effect("bob", Effect.UNLIMITED)));
		assertThat(send(evaluator, BOB)).isEqualTo(Verdict.UNLIMITED);
		assertThat(allowed(evaluator, ALICE, 11)).isEqualTo(10);
		assertThat(this.store.size()).isEqualTo(2);
	}

	@Test
	void eachPlanHasItsOwnShards() {
		TestEvaluator evaluator = evaluator(plans(onShards("3/h")));
		assertThat(allowed(evaluator, ALICE.on("pro"), 7)).isEqualTo(6);
		assertThat(send(evaluator, ALICE).allowed()).isTrue();
		assertThat(send(evaluator, ALICE.on("max"))).isEqualTo(Verdict.UNLIMITED);
		assertThat(this.store.size()).as("two shards of pro, and the shard that was charged last").isEqualTo(3);
	}

	@Test
	void shadowRuleOnShardsRejectsNothing() {
		TestEvaluator evaluator = evaluator(shadow(onShards("4/h")));
		assertThat(allowed(evaluator, ALICE, 6)).isEqualTo(6);
		assertThat(this.published).filteredOn(RuleOutcome.SHADOW_REJECTED::equals).hasSize(2);
	}

	@Test
	void shardsRefillOutsideOfTheTimes() {
		Rule rule = onShards("4/s");
		TestEvaluator evaluator = evaluator(until(START.plusSeconds(1), rule));
		allowed(evaluator, ALICE, 4);
		this.ticker.advance(Duration.ofSeconds(1));
		assertThat(send(evaluator, ALICE)).isEqualTo(Verdict.UNLIMITED);
		evaluator.replace(rule);
		assertThat(evaluator.remaining("r")).isEqualTo(4);
	}

	@Test
	void conditionalChargeIsRefundedToItsShard() {
		TestEvaluator evaluator = evaluator(charging(onShards("4/h"), "5xx"));
		List<RateLimitTransaction> inFlight = begin(4, evaluator, ALICE);
		assertThat(evaluator.remaining("r")).isZero();
		inFlight.forEach((transaction) -> transaction.complete(OK));
		inFlight.forEach((transaction) -> transaction.complete(OK));
		assertThat(evaluator.remaining("r")).isEqualTo(4);
		for (int i = 0; i < 4; i++) {
			begin(evaluator, ALICE).complete(FAILURE);
		}
		assertThat(evaluator.remaining("r")).isZero();
	}

	@Test
	void forwardedRequestIsChargedToOneShard() {
		TestEvaluator evaluator = evaluator(onShards("4/h"));
		RateLimitTransaction transaction = begin(evaluator, ALICE);
		assertThat(forward(evaluator, transaction)).isEqualTo(Verdict.UNLIMITED);
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
		assertThat(allowed(evaluator, SimpleCaller.at("192.0.2.1"), 5)).isEqualTo(4);
		assertThat(this.store.size()).isEqualTo(1);
		send(evaluator, ALICE.on("pro"));
		send(evaluator, ALICE.on("pro"));
		assertThat(this.store.size()).isEqualTo(3);
	}

	/** A rule whose callers share a bucket with two shards. */
	private static Rule onShards(String rate) {
		return TestRules.rule("r", bucket(rate)).options((options) -> options.with(new Shards(2)));
	}

}
