package io.tierlimit.evaluation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

import io.tierlimit.EstimatedCost;
import io.tierlimit.PermitRequest;
import io.tierlimit.RateLimiter;
import io.tierlimit.RuleMode;
import io.tierlimit.Verdict;
import io.tierlimit.limit.Concurrency;
import io.tierlimit.limit.Limit;
import io.tierlimit.limit.Overrun;
import io.tierlimit.option.OptionMeter;
import io.tierlimit.option.candidate.CandidateLimits;
import io.tierlimit.option.outcome.ChargePolicy;
import io.tierlimit.option.outcome.OutcomeCondition;
import io.tierlimit.option.settlement.ActualCost;
import io.tierlimit.rule.ExchangeFacts;
import io.tierlimit.rule.RequestOutcome;
import io.tierlimit.rule.RequestOutcome.Event;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.RuleLimits;
import io.tierlimit.rule.RuleOptions;
import io.tierlimit.rule.TestRules;
import io.tierlimit.key.SimpleCaller;
import io.tierlimit.store.AcquireResult;
import io.tierlimit.store.Charge;
import io.tierlimit.store.DelegatingBucketStore;
import io.tierlimit.store.Settlement;
import io.tierlimit.store.StoreFailureFlag;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for actual costs, which replace estimates at the end of a request or from code.
 */
class CostSettlementTests {

	private static final RequestOutcome OK = RequestOutcome.answered(200);

	private static final SimpleCaller CALLER = SimpleCaller.at("192.0.2.1");

	private final List<String> calls = new ArrayList<>();

	private final List<Runnable> background = new ArrayList<>();

	private final List<Duration> delays = new ArrayList<>();

	private long nanoTime;

	private final DelegatingBucketStore store = new DelegatingBucketStore(TestEvaluators.memory(100)) {

		@Override
		public AcquireResult acquire(List<Charge> charges, StoreFailureFlag failureFlag) {
			CostSettlementTests.this.calls.add("acquire " + charges.size());
			return super.acquire(charges, failureFlag);
		}

		@Override
		public List<Overrun> settle(List<Settlement> settlements, StoreFailureFlag failureFlag) {
			CostSettlementTests.this.calls.add("settle " + settlements.size());
			return super.settle(settlements, failureFlag);
		}

	};

	/** A rule with the estimate 10, and 100 permits that are not refilled in a test. */
	private static Rule tokens(String actualCost) {
		return tokens(actualCost, null, (options) -> options);
	}

	private static Rule tokens(String actualCost, @Nullable Long maxDebt, UnaryOperator<RuleOptions> options) {
		return tokens(TestRules.bucket(100), actualCost, maxDebt, options);
	}

	private static Rule tokens(Limit limit, String actualCost, @Nullable Long maxDebt,
			UnaryOperator<RuleOptions> others) {
		return TestRules.rule("tokens", limit)
			.cost("10")
			.options((options) -> others.apply(options.with(new ActualCost(actualCost, maxDebt))));
	}

	private TestEvaluator evaluator(Rule... rules) {
		Metering metering = new Metering(this.store, () -> this.nanoTime, (delay, task) -> {
			this.delays.add(delay);
			this.background.add(task);
		});
		return TestEvaluator.of(List.of(rules), Map.of(), TestEvaluators.PLAIN_KEYS,
				new RateLimitEvaluator(this.store, VerdictPublisher.NONE, WaitQueue.NONE, metering));
	}

	private void runBackground() {
		List<Runnable> tasks = List.copyOf(this.background);
		this.background.clear();
		tasks.forEach(Runnable::run);
	}

	private static RateLimitTransaction begin(TestEvaluator evaluator) {
		RateLimitTransaction transaction = evaluator.begin(CALLER);
		assertThat(transaction.evaluate(evaluator.matched(), Stage.ALL).allowed()).isTrue();
		transaction.commit();
		return transaction;
	}

	/** The consumed permits, and what the bucket owes. */
	private static long consumed(TestEvaluator evaluator) {
		return consumed(evaluator, "tokens");
	}

	private static long consumed(TestEvaluator evaluator, String rule) {
		long day = Duration.ofDays(1).toNanos() / 1000;
		return evaluator.limiter().peek(PermitRequest.of(rule).cost(0)).decisions().get(0).decision().resetTicks()
				/ day;
	}

	private static long meter(TestEvaluator evaluator, String name) {
		return (long) evaluator.rule("tokens")
			.options()
			.meters()
			.stream()
			.filter((meter) -> meter.name().equals(name) && meter.type() == OptionMeter.Type.COUNTER)
			.findFirst()
			.orElseThrow()
			.value()
			.getAsDouble();
	}

	@ParameterizedTest
	@CsvSource({ "0, 0", "4, 4", "10, 10", "25, 25", "100, 100", "200, 200", "201, 200" })
	void actualCostReplacesTheEstimate(long actual, long consumed) {
		TestEvaluator evaluator = evaluator(tokens("status - 200 + " + actual));
		RateLimitTransaction transaction = begin(evaluator);
		assertThat(consumed(evaluator)).isEqualTo(10);
		transaction.complete(OK);
		transaction.complete(RequestOutcome.answered(299));
		assertThat(consumed(evaluator)).isEqualTo(consumed);
		assertThat(meter(evaluator, "tierlimit.settled.dropped")).isEqualTo(actual - consumed);
		assertThat(meter(evaluator, "tierlimit.settled.unknown")).isZero();
	}

	@Test
	void debtIsLimited() {
		TestEvaluator evaluator = evaluator(tokens("status", 30L, (options) -> options));
		begin(evaluator).complete(OK);
		assertThat(consumed(evaluator)).isEqualTo(130);
		assertThat(meter(evaluator, "tierlimit.settled.dropped")).isEqualTo(70);
		assertThat(evaluator.evaluate(CALLER).allowed()).isFalse();
	}

	@ParameterizedTest
	@ValueSource(strings = { "responseHeader('tokens')", "responseBytes", "requestBytes", "metered", "0 - status",
			"status / 0", "requestAttribute('absent')", "status == 200 ? 'many' : 1" })
	void estimateRemainsIfTheActualCostIsUnknown(String expression) {
		TestEvaluator evaluator = evaluator(tokens(expression));
		RateLimitTransaction transaction = begin(evaluator);
		transaction.complete(OK);
		assertThat(consumed(evaluator)).isEqualTo(10);
		assertThat(meter(evaluator, "tierlimit.settled.unknown")).isOne();
	}

	@Test
	void factsOfTheExchangeAreRead() {
		TestEvaluator evaluator = evaluator(
				tokens("(responseHeader('tokens') ?: 0) + duration + requestBytes * 10 + responseBytes / 100"));
		begin(evaluator).complete(OK.with(new ExchangeFacts() {

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
		begin(evaluator).complete(OK);
		assertThat(consumed(evaluator)).isOne();
	}

	@Test
	void whatCodeSettlesIsFinal() {
		TestEvaluator evaluator = evaluator(tokens("status"));
		RateLimitTransaction transaction = begin(evaluator);
		EstimatedCost cost = transaction.estimatedCost("tokens");
		assertThat(cost.settle(7)).isTrue();
		assertThat(cost.settle(3)).isFalse();
		assertThat(transaction.estimatedCost("tokens").settle(3)).isFalse();
		assertThat(consumed(evaluator)).as("until the end").isEqualTo(10);
		transaction.complete(OK);
		assertThat(consumed(evaluator)).isEqualTo(7);
		assertThat(cost.settle(3)).isFalse();
		assertThat(transaction.estimatedCost("tokens").settle(3)).isFalse();
		assertThat(cost.meter(90)).isFalse();
		assertThat(this.background).isEmpty();
		assertThat(consumed(evaluator)).isEqualTo(7);
	}

	@Test
	void refundedChargeIsNotSettled() {
		TestEvaluator evaluator = evaluator(tokens("status"));
		RateLimitTransaction transaction = evaluator.begin(CALLER);
		transaction.evaluate(evaluator.matched(), Stage.ALL);
		transaction.rollback();
		assertThat(transaction.estimatedCost("tokens").settle(50)).isFalse();
		transaction.complete(OK);
		assertThat(consumed(evaluator)).isZero();
	}

	@Test
	void costOfARejectedRequestIsNotSettled() {
		TestEvaluator evaluator = evaluator(tokens("status"), TestRules.rule("calls", 1));
		begin(evaluator).complete(OK);
		this.calls.clear();
		RateLimitTransaction rejected = evaluator.begin(CALLER);
		assertThat(rejected.evaluate(evaluator.matched("calls"), Stage.ALL).allowed()).isFalse();
		rejected.complete(RequestOutcome.unhandled(429));
		assertThat(this.calls).containsExactly("acquire 1");
	}

	@Test
	void outcomeDecidesFirstWhetherTheChargeIsKept() {
		TestEvaluator evaluator = evaluator(tokens("status - 199", null, (options) -> options
			.with(new ChargePolicy(List.of(OutcomeCondition.parse("2xx")), List.of(OutcomeCondition.parse("404"))))));
		begin(evaluator).complete(OK);
		assertThat(consumed(evaluator)).isOne();
		begin(evaluator).complete(RequestOutcome.answered(500));
		assertThat(consumed(evaluator)).as("refunded").isOne();
		RateLimitTransaction reset = evaluator.begin(CALLER);
		reset.evaluate(List.of(new MatchedRule(evaluator.rule("tokens"), null, MatchedRule.Handling.NAMED)), Stage.ALL);
		reset.complete(RequestOutcome.answered(404));
		assertThat(consumed(evaluator)).as("reset").isZero();
	}

	@Test
	void meteredPermitsAreConsumedAboveTheEstimateOnly() {
		TestEvaluator evaluator = evaluator(tokens("metered"));
		RateLimitTransaction transaction = begin(evaluator);
		EstimatedCost cost = transaction.estimatedCost("tokens");
		for (long total : new long[] { 5, 10, 8, 3 }) {
			assertThat(cost.meter(total)).isFalse();
		}
		runBackground();
		assertThat(this.calls).as("nothing is sent").containsExactly("acquire 1");
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
	void meteredTotalBelowTheEstimateIsSettled() {
		TestEvaluator evaluator = evaluator(tokens("metered"));
		RateLimitTransaction transaction = begin(evaluator);
		transaction.estimatedCost("tokens").meter(4);
		transaction.complete(OK);
		assertThat(consumed(evaluator)).isEqualTo(4);
	}

	@Test
	void actualCostIsNeverBelowTheMeteredTotal() {
		TestEvaluator evaluator = evaluator(tokens("0 * status"));
		RateLimitTransaction transaction = begin(evaluator);
		EstimatedCost cost = transaction.estimatedCost("tokens");
		cost.meter(30);
		runBackground();
		cost.settle(20);
		transaction.complete(OK);
		assertThat(consumed(evaluator)).isEqualTo(30);
		RateLimitTransaction other = begin(evaluator);
		other.estimatedCost("tokens").meter(6);
		other.complete(OK);
		assertThat(consumed(evaluator)).isEqualTo(36);
	}

	@Test
	void meteredPermitsRemainIfTheEstimateIsRefunded() {
		TestEvaluator evaluator = evaluator(tokens("metered", null,
				(options) -> options.with(new ChargePolicy(List.of(OutcomeCondition.parse("2xx")), List.of()))));
		RateLimitTransaction transaction = begin(evaluator);
		transaction.estimatedCost("tokens").meter(30);
		runBackground();
		transaction.complete(RequestOutcome.answered(500));
		assertThat(consumed(evaluator)).isEqualTo(20);
	}

	@Test
	void meteringReportsThatTheBucketOwesTheMaximum() {
		TestEvaluator evaluator = evaluator(tokens("metered", 5L, (options) -> options));
		EstimatedCost cost = begin(evaluator).estimatedCost("tokens");
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
	void ruleInShadowModeEndsNoResponse() {
		TestEvaluator evaluator = evaluator(tokens("metered", 0L, (options) -> options.mode(RuleMode.SHADOW)));
		EstimatedCost cost = begin(evaluator).estimatedCost("tokens");
		cost.meter(500);
		runBackground();
		assertThat(cost.meter(500)).isFalse();
		assertThat(consumed(evaluator)).isEqualTo(100);
	}

	@Test
	void allRequestsAreMeteredInOneCallPerSecond() {
		TestEvaluator evaluator = evaluator(tokens("metered"));
		EstimatedCost first = begin(evaluator).estimatedCost("tokens");
		EstimatedCost second = begin(evaluator).estimatedCost("tokens");
		this.calls.clear();
		first.meter(11);
		second.meter(12);
		assertThat(this.delays).containsExactly(Duration.ZERO);
		runBackground();
		assertThat(this.calls).as("one bucket").containsExactly("settle 1");
		assertThat(consumed(evaluator)).isEqualTo(23);
		this.nanoTime += 300_000_000;
		first.meter(13);
		second.meter(14);
		assertThat(this.delays).containsExactly(Duration.ZERO, Duration.ofMillis(700));
		runBackground();
		assertThat(this.calls).containsExactly("settle 1", "settle 1");
		assertThat(consumed(evaluator)).isEqualTo(27);
	}

	/** A client cannot disconnect to make a request cheaper. */
	@ParameterizedTest
	@CsvSource({ "status - 196, 10", "status - 185, 15", "responseHeader('tokens'), 10" })
	void responseThatEndsEarlyCostsAtLeastTheEstimate(String actualCost, long consumed) {
		TestEvaluator evaluator = evaluator(tokens(actualCost));
		begin(evaluator).complete(OK.with(Event.ENDED_EARLY));
		assertThat(consumed(evaluator)).isEqualTo(consumed);
	}

	@Test
	void responseThatEndsEarlyCostsWhatCodeHasReported() {
		TestEvaluator evaluator = evaluator(tokens("status"));
		RateLimitTransaction metered = begin(evaluator);
		metered.estimatedCost("tokens").meter(3);
		metered.complete(OK.with(Event.ENDED_EARLY));
		assertThat(consumed(evaluator)).isEqualTo(3);
		RateLimitTransaction settled = begin(evaluator);
		settled.estimatedCost("tokens").settle(4);
		settled.complete(OK.with(Event.ENDED_EARLY));
		assertThat(consumed(evaluator)).isEqualTo(7);
	}

	@Test
	void hugeCostsOverflowNothing() {
		TestEvaluator evaluator = evaluator(tokens("status * " + Long.MAX_VALUE / 1000 + "L"));
		EstimatedCost first = begin(evaluator).estimatedCost("tokens");
		RateLimitTransaction second = begin(evaluator);
		first.meter(Long.MAX_VALUE);
		second.estimatedCost("tokens").meter(Long.MAX_VALUE);
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
		RateLimitTransaction transaction = begin(evaluator);
		evaluator.replace(rule.cost("15"));
		transaction.evaluateForward(evaluator.matched(), Stage.ALL);
		assertThat(consumed(evaluator)).isEqualTo(15);
		EstimatedCost cost = transaction.estimatedCost("tokens");
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
		RateLimitTransaction transaction = begin(evaluator);
		EstimatedCost cost = transaction.estimatedCost("tokens");
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
		RateLimitTransaction transaction = evaluator.begin(CALLER);
		EstimatedCost cost = transaction.estimatedCost("tokens");
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
	void reportAtTheEndOfTheRequestHasNoEffect() {
		TestEvaluator evaluator = evaluator(tokens("status"));
		RateLimitTransaction transaction = begin(evaluator);
		EstimatedCost cost = transaction.estimatedCost("tokens");
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
			begin(evaluator).complete(OK.with(new ExchangeFacts() {

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
			this.store.resetAll("tokens");
		}
	}

	@Test
	void meteringContinuesAfterAThreadWasNotStarted() {
		TestEvaluator evaluator = evaluator(tokens("metered"));
		EstimatedCost cost = begin(evaluator).estimatedCost("tokens");
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
	void rateConcurrencyAndCostAreOneCallBeforeAndOneAfter() {
		TestEvaluator evaluator = evaluator(tokens("status"), TestRules.rule("calls", 10),
				TestRules.rule("in-flight", Concurrency.of(2, Duration.ofMinutes(1))));
		RateLimitTransaction transaction = begin(evaluator);
		assertThat(this.calls).containsExactly("acquire 3");
		transaction.complete(OK);
		assertThat(this.calls).containsExactly("acquire 3", "settle 2");
		assertThat(consumed(evaluator)).isEqualTo(200);
		assertThat(evaluator.remaining("in-flight")).isEqualTo(2);
	}

	@Test
	void candidateIsSettledLikeItsRule() {
		TestEvaluator evaluator = evaluator(tokens("status - 170", null,
				(options) -> options.with(new CandidateLimits(new RuleLimits(TestRules.bucket(50))))));
		begin(evaluator).complete(OK);
		assertThat(consumed(evaluator)).isEqualTo(30);
		assertThat(consumed(evaluator, "tokens.candidate")).isEqualTo(30);
	}

	@Test
	void costOfPermitsThatCodeHasAcquiredIsSettledAtOnce() {
		TestEvaluator evaluator = evaluator(tokens("metered"));
		RateLimiter limiter = evaluator.limiter();
		Verdict verdict = limiter.acquire(PermitRequest.of("tokens").cost(10));
		EstimatedCost cost = limiter.estimatedCost(verdict, "tokens");
		assertThat(cost.settle(25)).isTrue();
		assertThat(consumed(evaluator)).isEqualTo(25);
		assertThat(cost.settle(5)).isFalse();
		assertThat(limiter.estimatedCost(verdict, "tokens").settle(5)).isFalse();
		limiter.refund(verdict);
		assertThat(consumed(evaluator)).as("settled costs are final").isEqualTo(25);
	}

	@Test
	void codeMetersAndRefundsPermitsThatItHasAcquired() {
		TestEvaluator evaluator = evaluator(tokens("metered"));
		RateLimiter limiter = evaluator.limiter();
		Verdict verdict = limiter.acquire(PermitRequest.of("tokens").cost(10));
		EstimatedCost cost = limiter.estimatedCost(verdict, "tokens");
		cost.meter(30);
		limiter.estimatedCost(verdict, "tokens").meter(30);
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
		Verdict verdict = limiter.acquire(PermitRequest.of("tokens").cost(10));
		limiter.estimatedCost(verdict, "tokens").meter(30);
		assertThat(limiter.estimatedCost(verdict, "tokens").settle(5)).isTrue();
		assertThat(consumed(evaluator)).as("at least the metered total").isEqualTo(30);
		runBackground();
		assertThat(consumed(evaluator)).isEqualTo(30);
	}

	@Test
	void limitWithAnActualCostIsShownToItsCallers() {
		assertThat(evaluator(tokens("status")).rule("tokens").isShownToCallers()).isTrue();
	}

	@Test
	void operatorsSeeHowCostsAreSettled() {
		assertThat(evaluator(tokens("status", 5L, (options) -> options)).describe("tokens"))
			.containsEntry("actualCost", "status")
			.containsEntry("maxDebt", 5L);
		assertThat(evaluator(tokens("status")).describe("tokens")).doesNotContainKey("maxDebt");
		assertThat(evaluator(TestRules.rule("tokens", 5)).describe("tokens")).doesNotContainKey("actualCost");
	}

	@Test
	void mistakesAreReported() {
		TestEvaluator evaluator = evaluator(tokens("metered"), TestRules.rule("calls", 5));
		RateLimiter limiter = evaluator.limiter();
		Verdict verdict = limiter.acquire(PermitRequest.of("tokens"));
		assertThatIllegalStateException().isThrownBy(() -> limiter.estimatedCost("tokens"))
			.withMessageStartingWith("The current thread serves no request");
		assertThatIllegalArgumentException().isThrownBy(() -> limiter.estimatedCost(verdict, "calls"))
			.withMessageStartingWith("The cost of rule 'calls' is final. Set its actual-cost");
		assertThatIllegalArgumentException().isThrownBy(() -> limiter.estimatedCost(verdict, "absent"))
			.withMessageStartingWith("Rule 'absent' is not one of");
		TestEvaluator compared = evaluator(tokens("status", null,
				(options) -> options.with(new CandidateLimits(new RuleLimits(TestRules.bucket(50))))));
		assertThatIllegalArgumentException()
			.isThrownBy(() -> compared.limiter().estimatedCost(verdict, "tokens.candidate"))
			.withMessageStartingWith("Rule 'tokens.candidate' has the costs of rule 'tokens'.");
		EstimatedCost cost = limiter.estimatedCost(verdict, "tokens");
		assertThatIllegalArgumentException().isThrownBy(() -> cost.meter(-1));
		assertThatIllegalArgumentException().isThrownBy(() -> cost.settle(-1));
		assertThat(limiter.estimatedCost(Verdict.UNLIMITED, "tokens").settle(3)).as("nothing was charged").isFalse();
	}

}
