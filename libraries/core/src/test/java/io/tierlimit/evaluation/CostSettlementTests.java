package io.tierlimit.evaluation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.tierlimit.EstimatedCost;
import io.tierlimit.PermitRequest;
import io.tierlimit.RateLimiter;
import io.tierlimit.Verdict;
import io.tierlimit.limit.Concurrency;
import io.tierlimit.rule.ExchangeFacts;
import io.tierlimit.rule.RequestOutcome;
import io.tierlimit.rule.RequestOutcome.Event;
import io.tierlimit.rule.TestRules;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests actual costs, which replace estimates at the end of a request or from code.
 */
@ExtendWith(OutputCaptureExtension.class)
class CostSettlementTests extends SettledTraffic {

	@ParameterizedTest
	@CsvSource({ "0, , 0", "4, , 4", "10, , 10", "25, , 25", "100, , 100", "200, , 200", "201, , 200", "200, 30, 130" })
	void actualCostReplacesTheEstimate(long actual, @Nullable Long maxDebt, long consumed) {
		TestEvaluator evaluator = evaluator(tokens("status - 200 + " + actual, maxDebt));
		RateLimitTransaction transaction = begin(evaluator, ALICE);
		assertThat(consumed(evaluator)).isEqualTo(10);
		transaction.complete(OK);
		transaction.complete(RequestOutcome.answered(299));
		assertThat(consumed(evaluator)).isEqualTo(consumed);
		assertThat(meter(evaluator, "tierlimit.settled.dropped")).isEqualTo(actual - consumed);
		assertThat(meter(evaluator, "tierlimit.settled.unknown")).isZero();
		assertThat(evaluate(evaluator, ALICE).allowed()).isEqualTo(consumed <= 90);
	}

	/** The metered total is a lower bound, also of what code settles. */
	@ParameterizedTest
	@CsvSource({ "metered, 4, , false, 4", "0 * status, 30, 20, false, 30", "0 * status, 6, , false, 6",
			"status, 3, , true, 3", "status, , 4, true, 4" })
	void reportsOfCodeReplaceTheActualCost(String actualCost, @Nullable Long metered, @Nullable Long settled,
			boolean endsEarly, long consumed) {
		TestEvaluator evaluator = evaluator(tokens(actualCost));
		RateLimitTransaction transaction = begin(evaluator, ALICE);
		if (metered != null) {
			transaction.estimatedCost("r").meter(metered);
			runBackground();
		}
		if (settled != null) {
			transaction.estimatedCost("r").settle(settled);
		}
		transaction.complete(endsEarly ? OK.with(Event.ENDED_EARLY) : OK);
		assertThat(consumed(evaluator)).isEqualTo(consumed);
	}

	@ParameterizedTest
	@ValueSource(strings = { "responseHeader('tokens')", "responseBytes", "requestBytes", "metered", "0 - status",
			"status / 0", "requestAttribute('absent')", "status == 200 ? 'many' : 1" })
	void estimateRemainsIfTheActualCostIsUnknown(String expression, CapturedOutput output) {
		TestEvaluator evaluator = evaluator(tokens(expression));
		RateLimitTransaction transaction = begin(evaluator, ALICE);
		transaction.complete(OK);
		assertThat(consumed(evaluator)).isEqualTo(10);
		assertThat(meter(evaluator, "tierlimit.settled.unknown")).isOne();
		assertThat(output).contains("kept the estimated cost of a request, because its actual cost");
	}

	@Test
	void factsOfTheExchangeAreRead() {
		TestEvaluator evaluator = evaluator(
				tokens("(responseHeader('tokens') ?: 0) + duration + requestBytes * 10 + responseBytes / 100"));
		begin(evaluator, ALICE).complete(OK.with(new ExchangeFacts() {

			@Override
			public String responseHeader(String name) {
				return "5";
			}

			@Override
			public Long duration() {
				return 20L;
			}

			@Override
			public Long requestBytes() {
				return 3L;
			}

			@Override
			public Long responseBytes() {
				return 701L;
			}

		}));
		assertThat(consumed(evaluator)).isEqualTo(5 + 20 + 30 + 8);
	}

	@Test
	void costThatAClientCanChooseIsAtLeastOne() {
		TestEvaluator evaluator = evaluator(tokens("header('absent') == null ? 0 : 5"));
		begin(evaluator, ALICE).complete(OK);
		assertThat(consumed(evaluator)).isOne();
	}

	@Test
	void whatCodeSettlesIsFinal() {
		TestEvaluator evaluator = evaluator(tokens("status"));
		RateLimitTransaction transaction = begin(evaluator, ALICE);
		EstimatedCost cost = transaction.estimatedCost("r");
		assertThat(cost.settle(7)).isTrue();
		assertThat(cost.settle(3)).isFalse();
		assertThat(transaction.estimatedCost("r").settle(3)).isFalse();
		assertThat(consumed(evaluator)).as("until the end").isEqualTo(10);
		transaction.complete(OK);
		assertThat(consumed(evaluator)).isEqualTo(7);
		assertThat(cost.settle(3)).isFalse();
		assertThat(transaction.estimatedCost("r").settle(3)).isFalse();
		assertThat(cost.meter(90)).isFalse();
		assertThat(this.background).isEmpty();
		assertThat(consumed(evaluator)).isEqualTo(7);
	}

	@Test
	void refundedChargeIsNotSettled() {
		TestEvaluator evaluator = evaluator(tokens("status"));
		RateLimitTransaction transaction = evaluator.begin(ALICE);
		transaction.evaluate(evaluator.matched(), Stage.ALL);
		transaction.rollback();
		assertThat(transaction.estimatedCost("r").settle(50)).isFalse();
		transaction.complete(OK);
		assertThat(consumed(evaluator)).isZero();
	}

	@Test
	void costOfARejectedRequestIsNotSettled() {
		TestEvaluator evaluator = evaluator(this.recorded, WaitQueue.NONE, tokens("status"),
				TestRules.rule("calls", 1));
		begin(evaluator, ALICE, "r", "calls").complete(OK);
		this.recorded.calls.clear();
		RateLimitTransaction rejected = evaluator.begin(ALICE);
		assertThat(rejected.evaluate(evaluator.matched("calls"), Stage.ALL).allowed()).isFalse();
		rejected.complete(RequestOutcome.unhandled(429));
		assertThat(this.recorded.calls).containsExactly("acquire 1");
	}

	/** A client cannot disconnect to make a request cheaper. */
	@ParameterizedTest
	@CsvSource({ "status - 196, 10", "status - 185, 15", "responseHeader('tokens'), 10" })
	void responseThatEndsEarlyCostsAtLeastTheEstimate(String actualCost, long consumed) {
		TestEvaluator evaluator = evaluator(tokens(actualCost));
		begin(evaluator, ALICE).complete(OK.with(Event.ENDED_EARLY));
		assertThat(consumed(evaluator)).isEqualTo(consumed);
	}

	@Test
	void reportAtTheEndOfTheRequestHasNoEffect() {
		TestEvaluator evaluator = evaluator(tokens("status"));
		RateLimitTransaction transaction = begin(evaluator, ALICE);
		EstimatedCost cost = transaction.estimatedCost("r");
		List<Boolean> reports = new ArrayList<>();
		transaction.complete(OK.with(new ExchangeFacts() {
		}));
		reports.add(cost.settle(5));
		assertThat(reports).containsExactly(false);
		assertThat(consumed(evaluator)).isEqualTo(200);
	}

	@Test
	void clientThatHidesTheSizeOfItsRequestPaysAtLeastTheEstimate() {
		for (long bytes : new long[] { 2, 15 }) {
			TestEvaluator evaluator = evaluator(tokens("requestBytes"));
			begin(evaluator, ALICE).complete(OK.with(new ExchangeFacts() {

				@Override
				public Long requestBytes() {
					return bytes;
				}

				@Override
				public boolean mayBeLargerRequest() {
					return true;
				}

			}));
			assertThat(consumed(evaluator)).isEqualTo(Math.max(10, bytes));
			this.store.resetAll("r");
		}
	}

	@Test
	void rateConcurrencyAndCostAreOneCallBeforeAndOneAfter() {
		TestEvaluator evaluator = evaluator(this.recorded, WaitQueue.NONE, tokens("status"),
				TestRules.rule("calls", 10), TestRules.rule("in-flight", Concurrency.of(2, Duration.ofMinutes(1))));
		RateLimitTransaction transaction = begin(evaluator, ALICE, "r", "calls", "in-flight");
		assertThat(this.recorded.calls).containsExactly("acquire 3");
		transaction.complete(OK);
		assertThat(this.recorded.calls).containsExactly("acquire 3", "settle 2");
		assertThat(consumed(evaluator)).isEqualTo(200);
		assertThat(evaluator.remaining("in-flight")).isEqualTo(2);
	}

	@Test
	void costOfPermitsThatCodeHasAcquiredIsSettledAtOnce() {
		TestEvaluator evaluator = evaluator(tokens("metered"));
		RateLimiter limiter = evaluator.limiter();
		Verdict verdict = limiter.acquire(PermitRequest.of("r").cost(10));
		EstimatedCost cost = limiter.estimatedCost(verdict, "r");
		assertThat(cost.settle(25)).isTrue();
		assertThat(consumed(evaluator)).isEqualTo(25);
		assertThat(cost.settle(5)).isFalse();
		assertThat(limiter.estimatedCost(verdict, "r").settle(5)).isFalse();
		limiter.refund(verdict);
		assertThat(consumed(evaluator)).as("settled costs are final").isEqualTo(25);
	}

	@Test
	void limitWithAnActualCostIsShownToItsCallers() {
		assertThat(evaluator(tokens("status")).rule("r").isShownToCallers()).isTrue();
	}

	@Test
	void operatorsSeeHowCostsAreSettled() {
		assertThat(evaluator(tokens("status", 5L)).describe("r")).containsEntry("actualCost", "status")
			.containsEntry("maxDebt", 5L);
		assertThat(evaluator(tokens("status")).describe("r")).doesNotContainKey("maxDebt");
		assertThat(evaluator(TestRules.rule("r", 5)).describe("r")).doesNotContainKey("actualCost");
	}

	@Test
	void mistakesAreReported() {
		TestEvaluator evaluator = evaluator(tokens("metered"), TestRules.rule("calls", 5));
		RateLimiter limiter = evaluator.limiter();
		Verdict verdict = limiter.acquire(PermitRequest.of("r"));
		assertThatIllegalStateException().isThrownBy(() -> limiter.estimatedCost("r"))
			.withMessageStartingWith("The current thread serves no request");
		assertThatIllegalArgumentException().isThrownBy(() -> limiter.estimatedCost(verdict, "calls"))
			.withMessageStartingWith("The cost of rule 'calls' is final. Set its actual-cost");
		assertThatIllegalArgumentException().isThrownBy(() -> limiter.estimatedCost(verdict, "absent"))
			.withMessageStartingWith("Rule 'absent' is not one of");
		TestEvaluator compared = evaluator(candidate(tokens("status"), TestRules.bucket(50)));
		assertThatIllegalArgumentException().isThrownBy(() -> compared.limiter().estimatedCost(verdict, "r.candidate"))
			.withMessageStartingWith("Rule 'r.candidate' has the costs of rule 'r'.");
		EstimatedCost cost = limiter.estimatedCost(verdict, "r");
		assertThatIllegalArgumentException().isThrownBy(() -> cost.meter(-1));
		assertThatIllegalArgumentException().isThrownBy(() -> cost.settle(-1));
		assertThat(limiter.estimatedCost(Verdict.UNLIMITED, "r").settle(3)).as("nothing was charged").isFalse();
	}

}
