package io.tierlimit.evaluation;

import java.time.Duration;
import java.util.Map;

import io.tierlimit.EstimatedCost;
import io.tierlimit.PermitRequest;
import io.tierlimit.RateLimiter;
import io.tierlimit.Verdict;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.TestRules;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests costs that code meters while a request is in progress, or after other charges of
 * the request.
 */
class CostMeteringTests extends SettledTraffic {

	@Test
	void meteredPermitsAreConsumedAboveTheEstimateOnly() {
		TestEvaluator evaluator = evaluator(this.recorded, WaitQueue.NONE, tokens("metered"));
		RateLimitTransaction transaction = begin(evaluator, ALICE);
		EstimatedCost cost = transaction.estimatedCost("r");
		for (long total : new long[] { 5, 10, 8, 3 }) {
			assertThat(cost.meter(total)).isFalse();
		}
		runBackground();
		assertThat(this.recorded.calls).as("nothing is sent").containsExactly("acquire 1");
		cost.meter(40);
		cost.meter(60);
		cost.meter(50);
		assertThat(consumed(evaluator)).isEqualTo(10);
		runBackground();
		assertThat(consumed(evaluator)).isEqualTo(60);
		cost.meter(70);
		transaction.complete(OK);
		assertThat(consumed(evaluator)).isEqualTo(70);
		runBackground();
		assertThat(consumed(evaluator)).as("not twice").isEqualTo(70);
	}

	@Test
	void meteredPermitsRemainIfTheEstimateIsRefunded() {
		TestEvaluator evaluator = evaluator(charging(tokens("metered"), "2xx"));
		RateLimitTransaction transaction = begin(evaluator, ALICE);
		transaction.estimatedCost("r").meter(30);
		runBackground();
		transaction.complete(FAILURE);
		assertThat(consumed(evaluator)).isEqualTo(20);
	}

	@Test
	void meteringReportsThatTheBucketOwesTheMaximum() {
		TestEvaluator evaluator = evaluator(tokens("metered", 5L));
		EstimatedCost cost = begin(evaluator, ALICE).estimatedCost("r");
		assertThat(cost.meter(104)).isFalse();
		runBackground();
		assertThat(cost.meter(104)).isFalse();
		cost.meter(105);
		runBackground();
		assertThat(cost.meter(105)).isTrue();
		cost.meter(500);
		runBackground();
		assertThat(consumed(evaluator)).isEqualTo(105);
		assertThat(meter(evaluator, "tierlimit.settled.dropped")).isEqualTo(395);
	}

	@Test
	void allRequestsAreMeteredInOneCallPerSecond() {
		TestEvaluator evaluator = evaluator(this.recorded, WaitQueue.NONE, tokens("metered"));
		EstimatedCost first = begin(evaluator, ALICE).estimatedCost("r");
		EstimatedCost second = begin(evaluator, ALICE).estimatedCost("r");
		this.recorded.calls.clear();
		first.meter(11);
		second.meter(12);
		assertThat(this.delays).containsExactly(Duration.ZERO);
		runBackground();
		assertThat(this.recorded.calls).as("one bucket").containsExactly("settle 1");
		assertThat(consumed(evaluator)).isEqualTo(23);
		this.nanoTime += 300_000_000;
		first.meter(13);
		second.meter(14);
		assertThat(this.delays).containsExactly(Duration.ZERO, Duration.ofMillis(700));
		runBackground();
		assertThat(this.recorded.calls).filteredOn((call) -> !call.startsWith("peek"))
			.containsExactly("settle 1", "settle 1");
		assertThat(consumed(evaluator)).isEqualTo(27);
	}

	@Test
	void hugeCostsOverflowNothing() {
		TestEvaluator evaluator = evaluator(tokens("status * " + Long.MAX_VALUE / 1000 + "L"));
		EstimatedCost first = begin(evaluator, ALICE).estimatedCost("r");
		RateLimitTransaction second = begin(evaluator, ALICE);
		first.meter(Long.MAX_VALUE);
		second.estimatedCost("r").meter(Long.MAX_VALUE);
		runBackground();
		assertThat(consumed(evaluator)).isEqualTo(200);
		second.complete(OK);
		assertThat(consumed(evaluator)).isEqualTo(200);
		assertThat(meter(evaluator, "tierlimit.settled.dropped")).isPositive();
	}

	@ParameterizedTest
	@ValueSource(longs = { 0, 4, 12, 40 })
	void chargesOfAForwardAreSettledTogether(long actual) {
		Rule rule = tokens("status - 200 + " + actual);
		TestEvaluator evaluator = evaluator(rule);
		RateLimitTransaction transaction = begin(evaluator, ALICE);
		evaluator.replace(rule.cost("15"));
		transaction.evaluateForward(evaluator.matched(), Stage.ALL);
		assertThat(consumed(evaluator)).isEqualTo(15);
		EstimatedCost cost = transaction.estimatedCost("r");
		cost.meter(actual);
		runBackground();
		assertThat(consumed(evaluator)).isEqualTo(Math.max(15, actual));
		transaction.complete(OK);
		assertThat(consumed(evaluator)).isEqualTo(actual);
	}

	/** The total includes what an earlier charge of the same request has consumed. */
	@ParameterizedTest
	@CsvSource({ "15, 15", "22, 22", "12, 15", "40, 40" })
	void costThatWasMeteredBeforeAForwardIsNotConsumedTwice(long total, long consumed) {
		Rule rule = tokens("metered");
		TestEvaluator evaluator = evaluator(rule);
		RateLimitTransaction transaction = begin(evaluator, ALICE);
		EstimatedCost cost = transaction.estimatedCost("r");
		cost.meter(15);
		runBackground();
		evaluator.replace(rule.cost("20"));
		transaction.evaluateForward(evaluator.matched(), Stage.ALL);
		cost.meter(total);
		runBackground();
		transaction.complete(OK);
		assertThat(consumed(evaluator)).isEqualTo(consumed);
	}

	@Test
	void costsOfCallsWithinARequestAreSettledTogether() {
		Rule rule = tokens("metered").selection(TestRules.CODE);
		TestEvaluator evaluator = evaluator(rule);
		MethodRules method = new MethodRules(evaluator.matched(), Map.of());
		RateLimitTransaction transaction = evaluator.begin(ALICE);
		EstimatedCost cost = transaction.estimatedCost("r");
		assertThat(transaction.evaluateCall(method, new Object[0]).allowed()).isTrue();
		cost.meter(15);
		runBackground();
		assertThat(transaction.evaluateCall(method, new Object[0]).allowed()).isTrue();
		assertThat(consumed(evaluator)).isEqualTo(25);
		cost.meter(17);
		runBackground();
		transaction.complete(OK);
		assertThat(consumed(evaluator)).isEqualTo(17);
	}

	@Test
	void meteringContinuesAfterAThreadWasNotStarted() {
		TestEvaluator evaluator = evaluator(tokens("metered"));
		EstimatedCost cost = begin(evaluator, ALICE).estimatedCost("r");
		cost.meter(20);
		this.background.clear();
		cost.meter(21);
		assertThat(this.background).isEmpty();
		this.nanoTime += Duration.ofMinutes(1).toNanos();
		cost.meter(22);
		runBackground();
		assertThat(consumed(evaluator)).isEqualTo(22);
	}

	@Test
	void codeMetersAndRefundsPermitsThatItHasAcquired() {
		TestEvaluator evaluator = evaluator(tokens("metered"));
		RateLimiter limiter = evaluator.limiter();
		Verdict verdict = limiter.acquire(PermitRequest.of("r").cost(10));
		EstimatedCost cost = limiter.estimatedCost(verdict, "r");
		cost.meter(30);
		limiter.estimatedCost(verdict, "r").meter(30);
		runBackground();
		assertThat(consumed(evaluator)).isEqualTo(30);
		limiter.refund(verdict);
		assertThat(consumed(evaluator)).as("metered permits remain").isEqualTo(20);
		assertThat(cost.settle(50)).isFalse();
		assertThat(consumed(evaluator)).isEqualTo(20);
	}

	@Test
	void costOfAVerdictIsOneObject() {
		TestEvaluator evaluator = evaluator(tokens("metered"));
		RateLimiter limiter = evaluator.limiter();
		Verdict verdict = limiter.acquire(PermitRequest.of("r").cost(10));
		limiter.estimatedCost(verdict, "r").meter(30);
		assertThat(limiter.estimatedCost(verdict, "r").settle(5)).isTrue();
		assertThat(consumed(evaluator)).as("at least the metered total").isEqualTo(30);
		runBackground();
		assertThat(consumed(evaluator)).isEqualTo(30);
	}

}
