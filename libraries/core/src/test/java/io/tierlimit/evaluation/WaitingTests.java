package io.tierlimit.evaluation;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CancellationException;

import io.tierlimit.PermitRequest;
import io.tierlimit.RateLimitExceededException;
import io.tierlimit.RuleOutcome;
import io.tierlimit.Verdict;
import io.tierlimit.limit.LeakyBucket;
import io.tierlimit.limit.Limit;
import io.tierlimit.limit.Rate;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.TestRules;
import io.tierlimit.spi.Caller;
import io.tierlimit.store.AcquireResult;
import io.tierlimit.store.BucketStore;
import io.tierlimit.store.Charge;
import io.tierlimit.store.DelegatingBucketStore;
import io.tierlimit.store.SimulatedTicker;
import io.tierlimit.store.StoreFailureFlag;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests requests, calls and code that wait for their permits.
 */
class WaitingTests extends SimulatedTraffic {

	private static final Object[] NOTHING = {};

	private static final Limit TENTHS = new LeakyBucket(Rate.parse("10/s"));

	private static final Rule[] RULES = { waiting(TestRules.rule("queue", TENTHS), Duration.ofMillis(250)),
			shadow(waiting(TestRules.rule("shadow", TENTHS), Duration.ofMillis(250))),
			waiting(TestRules.rule("slow", new LeakyBucket(Rate.parse("1/s"))), Duration.ofSeconds(5)),
			TestRules.rule("plenty", 10) };

	private static final PermitRequest QUEUE = PermitRequest.of("queue");

	private static final PermitRequest PLENTY = PermitRequest.of("plenty");

	/** The clock of the buckets stands still. */
	private final SimulatedSleeper sleeper = new SimulatedSleeper(new SimulatedTicker());

	@ParameterizedTest
	@EnumSource
	void waitsForItsPermit(Way way) {
		SimulatedSleeper passing = new SimulatedSleeper(this.ticker);
		WaitQueue queue = new WaitQueue(1, passing);
		TestEvaluator evaluator = evaluator(queue, RULES);
		for (int i = 0; i < 3; i++) {
			assertThat(way.send(evaluator, "queue").allowed()).isTrue();
		}
		assertThat(passing.sleeps).as("one after the other").containsOnly(Duration.ofMillis(100)).hasSize(2);
		assertThat(this.published).containsExactly(RuleOutcome.ALLOWED, RuleOutcome.DELAYED, RuleOutcome.DELAYED);
		assertThat(queue.hasRoom()).isTrue();
	}

	@ParameterizedTest
	@EnumSource
	void isRejectedAtOnceIfTheWaitIsTooLong(Way way) {
		TestEvaluator evaluator = evaluator(new WaitQueue(9, this.sleeper), RULES);
		for (int i = 0; i < 3; i++) {
			assertThat(way.send(evaluator, "queue").allowed()).isTrue();
		}
		assertThat(waitOf(way.send(evaluator, "queue"))).isEqualTo(Duration.ofMillis(50));
		assertThat(this.sleeper.sleeps).containsExactly(Duration.ofMillis(100), Duration.ofMillis(200));
	}

	@ParameterizedTest
	@EnumSource
	void isRejectedWithoutASlotAndReservesNothing(Way way) {
		TestEvaluator evaluator = evaluator(new WaitQueue(0, this.sleeper), RULES);
		way.send(evaluator, "queue");
		assertThat(waitOf(way.send(evaluator, "queue"))).isEqualTo(Duration.ofMillis(100));
		this.ticker.advance(100_000);
		assertThat(way.send(evaluator, "queue").allowed()).isTrue();
		assertThat(this.sleeper.sleeps).isEmpty();
	}

	@Test
	void requestThatLosesTheLastSlotIsRejectedAndReservesNothing() {
		WaitQueue queue = new WaitQueue(1, this.sleeper);
		TestEvaluator evaluator = evaluator(new SlotTakingStore(this.store, queue), queue, RULES);
		Way.REQUEST.send(evaluator, "queue");
		assertThat(waitOf(Way.REQUEST.send(evaluator, "queue"))).isEqualTo(Duration.ofMillis(100));
		assertThat(this.sleeper.sleeps).isEmpty();
	}

	@Test
	void interruptEndsTheWaitAndRefundsAllCharges() {
		WaitQueue queue = new WaitQueue(1, this.sleeper.thenInterrupt());
		TestEvaluator evaluator = evaluator(queue, RULES);
		Way.REQUEST.send(evaluator, "queue");
		RateLimitTransaction transaction = evaluator.begin(Caller.UNKNOWN);
		evaluate(transaction, evaluator.matched("plenty"), Stage.BEFORE_AUTHENTICATION);
		assertCanceled(() -> evaluate(transaction, evaluator.matched("queue"), Stage.AFTER_AUTHENTICATION));
		assertThat(queue.hasRoom()).isTrue();
		assertThat(evaluator.remaining("plenty")).isEqualTo(10);
		assertNothingIsReserved(evaluator);
	}

	@Test
	void interruptedCallKeepsTheChargesOfItsRequest() {
		TestEvaluator evaluator = evaluator(new WaitQueue(1, this.sleeper.thenInterrupt()), RULES);
		Way.REQUEST.send(evaluator, "queue");
		RateLimitTransaction transaction = evaluator.begin(Caller.UNKNOWN);
		evaluate(transaction, evaluator.matched("plenty"), Stage.ALL);
		assertCanceled(() -> call(transaction, new MethodRules(evaluator.matched("queue"), Map.of()), NOTHING));
		assertThat(evaluator.remaining("plenty")).as("the handler has run").isEqualTo(9);
		assertNothingIsReserved(evaluator);
	}

	@Test
	void interruptedCallOfTheHandlerRefundsAllCharges() {
		TestEvaluator evaluator = evaluator(new WaitQueue(1, this.sleeper.thenInterrupt()), RULES);
		CompiledRule byArgument = evaluator.variant(RULES[0].cost("#n"), List.of("n"));
		MethodRules handler = new MethodRules(List.of(new MatchedRule(byArgument, null)), Map.of("n", 0));
		Way.REQUEST.send(evaluator, "queue");
		RateLimitTransaction transaction = evaluator.begin(Caller.UNKNOWN);
		transaction.expect(handler);
		evaluate(transaction, evaluator.matched("plenty"), Stage.ALL);
		assertCanceled(() -> call(transaction, handler, new Object[] { 1 }));
		assertThat(evaluator.remaining("plenty")).as("the handler has not run").isEqualTo(10);
	}

	@Test
	void interruptOfCodeThatWaitsRefundsItsPermits() {
		WaitQueue queue = new WaitQueue(1, this.sleeper.thenInterrupt());
		TestEvaluator evaluator = evaluator(queue, RULES);
		evaluator.limiter().await(QUEUE);
		assertCanceled(() -> evaluator.limiter().await(QUEUE, PLENTY));
		assertThat(queue.hasRoom()).isTrue();
		assertThat(evaluator.remaining("plenty")).isEqualTo(10);
		assertNothingIsReserved(evaluator);
	}

	@Test
	void requestThatIsRejectedLaterIsRefundedItsReservation() {
		WaitQueue queue = new WaitQueue(1, this.sleeper);
		TestEvaluator evaluator = evaluator(queue, RULES);
		Way.REQUEST.send(evaluator, "queue");
		evaluator.limiter().acquire(PLENTY.cost(10));
		RateLimitTransaction transaction = evaluator.begin(Caller.UNKNOWN);
		evaluate(transaction, evaluator.matched("queue"), Stage.BEFORE_AUTHENTICATION);
		assertThat(queue.hasRoom()).isTrue();
		assertThat(evaluate(transaction, evaluator.matched("plenty"), Stage.AFTER_AUTHENTICATION).allowed()).isFalse();
		transaction.rollback();
		assertNothingIsReserved(evaluator);
	}

	@Test
	void requestWaitsForTheLongestWaitOfAllRules() {
		TestEvaluator evaluator = evaluator(new WaitQueue(9, this.sleeper), RULES);
		Way.REQUEST.send(evaluator, "queue", "slow");
		Way.REQUEST.send(evaluator, "queue", "slow");
		assertThat(this.sleeper.sleeps).containsExactly(Duration.ofSeconds(1));
	}

	@Test
	void shadowRuleDelaysNoRequest() {
		TestEvaluator evaluator = evaluator(new WaitQueue(9, this.sleeper), RULES);
		for (int i = 0; i < 5; i++) {
			assertThat(Way.REQUEST.send(evaluator, "shadow").allowed()).isTrue();
		}
		assertThat(this.sleeper.sleeps).isEmpty();
		assertThat(this.published).contains(RuleOutcome.ALLOWED, RuleOutcome.SHADOW_REJECTED).hasSize(5);
	}

	@Test
	void codeIsRejectedIfItsBucketIsPausedDuringItsWait() {
		TestEvaluator evaluator = evaluator(queue(9), RULES);
		this.duringWaits = () -> evaluator.limiter().syncRemaining(QUEUE, 0, Duration.ofMillis(300));
		evaluator.limiter().await(QUEUE);
		assertThat(evaluator.limiter().await(QUEUE).allowed()).as("a short pause").isTrue();
		this.ticker.advance(Duration.ofMillis(250));
		this.duringWaits = () -> evaluator.limiter().syncRemaining(QUEUE, 0, Duration.ofSeconds(30));
		assertThat(waitOf(Way.CODE.send(evaluator, "queue"))).isEqualTo(Duration.ofMillis(29_750));
	}

	@Test
	void codeThatDoesNotCallAwaitNeverWaits() {
		TestEvaluator evaluator = evaluator(new WaitQueue(9, this.sleeper), RULES);
		evaluator.limiter().acquire(QUEUE);
		assertThat(evaluator.limiter().tryAcquire(QUEUE).allowed()).isFalse();
		assertThat(evaluator.evaluate(evaluator.matched("queue"), Caller.UNKNOWN).allowed()).isFalse();
		assertThat(this.sleeper.sleeps).isEmpty();
	}

	private static void assertCanceled(ThrowingCallable waiting) {
		assertThatExceptionOfType(CancellationException.class).isThrownBy(waiting);
		assertThat(Thread.interrupted()).isTrue();
	}

	private void assertNothingIsReserved(TestEvaluator evaluator) {
		this.ticker.advance(100_000);
		assertThat(evaluator.limiter().tryAcquire(QUEUE).allowed()).isTrue();
	}

	private static @Nullable Duration waitOf(Verdict rejected) {
		return rejected.violated().get(0).decision().retryAfter();
	}

	private static Verdict evaluate(RateLimitTransaction transaction, List<MatchedRule> matched, Stage stage) {
		Verdict verdict = transaction.evaluate(matched, stage);
		transaction.await(verdict);
		return verdict;
	}

	private static Verdict call(RateLimitTransaction transaction, MethodRules rules, Object[] arguments) {
		boolean ofHandler = transaction.beginHandlerCall(rules);
		Verdict verdict = ofHandler ? transaction.evaluateHandlerCall(rules, arguments)
				: transaction.evaluateCall(rules, arguments);
		transaction.await(verdict);
		if (!ofHandler) {
			transaction.publishCall(verdict);
		}
		return verdict;
	}

	enum Way {

		REQUEST, CALL, CODE;

		Verdict send(TestEvaluator evaluator, String... rules) {
			RateLimitTransaction transaction = evaluator.begin(Caller.UNKNOWN);
			switch (this) {
				case REQUEST -> {
					Verdict verdict = evaluate(transaction, evaluator.matched(rules), Stage.ALL);
					transaction.complete(OK);
					return verdict;
				}
				case CALL -> {
					return call(transaction, new MethodRules(evaluator.matched(rules), Map.of()), NOTHING);
				}
				default -> {
					try {
						return evaluator.limiter().await(PermitRequest.of(rules[0]));
					}
					catch (RateLimitExceededException ex) {
						return Objects.requireNonNull(ex.verdict());
					}
				}
			}
		}

	}

	/**
	 * While this store decides, another request enters the queue and occupies its last
	 * slot.
	 */
	private static final class SlotTakingStore extends DelegatingBucketStore {

		private final WaitQueue queue;

		SlotTakingStore(BucketStore store, WaitQueue queue) {
			super(store);
			this.queue = queue;
		}

		@Override
		public AcquireResult acquire(List<Charge> charges, StoreFailureFlag failureFlag) {
			AcquireResult result = super.acquire(charges, failureFlag);
			if (result.decisions().stream().anyMatch((decision) -> decision != null && decision.delayTicks() > 0)) {
				assertThat(this.queue.enter(Verdict.UNLIMITED)).isTrue();
			}
			return result;
		}

	}

}
