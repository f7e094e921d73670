package io.tierlimit.evaluation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;

import io.tierlimit.PermitRequest;
import io.tierlimit.RateLimitExceededException;
import io.tierlimit.RateLimiter;
import io.tierlimit.RuleMode;
import io.tierlimit.RuleOutcome;
import io.tierlimit.Verdict;
import io.tierlimit.limit.LeakyBucket;
import io.tierlimit.limit.Limit;
import io.tierlimit.limit.Rate;
import io.tierlimit.option.wait.ReservationOptions;
import io.tierlimit.rule.RequestOutcome;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.TestRules;
import io.tierlimit.spi.Caller;
import io.tierlimit.store.AcquireResult;
import io.tierlimit.store.BucketStore;
import io.tierlimit.store.Charge;
import io.tierlimit.store.DelegatingBucketStore;
import io.tierlimit.store.SimulatedTicker;
import io.tierlimit.store.StoreFailureFlag;
import io.tierlimit.store.memory.InMemoryBucketStore;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class WaitingTests {

	private static final Object[] NOTHING = {};

	private final SimulatedTicker ticker = new SimulatedTicker();

	private final InMemoryBucketStore store = new InMemoryBucketStore(this.ticker, 100);

	private final List<Duration> waits = new ArrayList<>();

	private final List<RuleOutcome> published = new ArrayList<>();

	private final RecordingSleeper sleeper = new RecordingSleeper();

	@Test
	void requestWaitsForItsPermit() {
		this.sleeper.passes = true;
		WaitQueue queue = new WaitQueue(1, this.sleeper);
		TestEvaluator evaluator = evaluator(queue, this.store);
		assertThat(request(evaluator, "queue").delay()).isZero();
		assertThat(request(evaluator, "queue").allowed()).isTrue();
		assertThat(request(evaluator, "queue").allowed()).isTrue();
		assertThat(this.waits).as("one after the other").containsOnly(Duration.ofMillis(100)).hasSize(2);
		assertThat(this.published).containsExactly(RuleOutcome.ALLOWED, RuleOutcome.DELAYED, RuleOutcome.DELAYED);
		assertThat(queue.hasRoom()).isTrue();
	}

	@Test
	void requestIsRejectedAtOnceIfTheWaitIsTooLong() {
		TestEvaluator evaluator = evaluator(new WaitQueue(9, this.sleeper), this.store);
		for (int i = 0; i < 3; i++) {
			assertThat(request(evaluator, "queue").allowed()).isTrue();
		}
		Verdict rejected = request(evaluator, "queue");
		assertThat(rejected.violated()).extracting((decision) -> decision.decision().retryAfter())
			.containsExactly(Duration.ofMillis(50));
		assertThat(this.waits).containsExactly(Duration.ofMillis(100), Duration.ofMillis(200));
	}

	@Test
	void requestWithoutASlotIsRejectedAndReservesNothing() {
		TestEvaluator evaluator = evaluator(new WaitQueue(0, this.sleeper), this.store);
		request(evaluator, "queue");
		Verdict rejected = request(evaluator, "queue");
		assertThat(rejected.violated()).extracting((decision) -> decision.decision().retryAfter())
			.containsExactly(Duration.ofMillis(100));
		this.ticker.advance(100_000);
		assertThat(request(evaluator, "queue").allowed()).isTrue();
		assertThat(this.waits).isEmpty();
	}

	@Test
	void requestThatLosesTheLastSlotIsRejectedAndReservesNothing() {
		WaitQueue queue = new WaitQueue(1, this.sleeper);
		TestEvaluator evaluator = evaluator(queue, new SlotTakingStore(this.store, queue));
		request(evaluator, "queue");
		Verdict rejected = request(evaluator, "queue");
		assertThat(rejected.violated()).extracting((decision) -> decision.decision().retryAfter())
			.containsExactly(Duration.ofMillis(100));
		assertThat(this.waits).isEmpty();
	}

	@Test
	void interruptEndsTheWaitAndRefundsAllCharges() {
		WaitQueue queue = new WaitQueue(1, this.sleeper);
		this.sleeper.interrupts = true;
		TestEvaluator evaluator = evaluator(queue, this.store);
		request(evaluator, "queue");
		RateLimitTransaction transaction = begin(evaluator);
		evaluate(transaction, evaluator.matched("plenty"), Stage.BEFORE_AUTHENTICATION);
		assertThatExceptionOfType(CancellationException.class)
			.isThrownBy(() -> evaluate(transaction, evaluator.matched("queue"), Stage.AFTER_AUTHENTICATION));
		assertThat(Thread.interrupted()).isTrue();
		assertThat(queue.hasRoom()).isTrue();
		RateLimiter limiter = evaluator.limiter();
		assertThat(limiter.peek(PermitRequest.of("plenty").cost(10)).allowed()).isTrue();
		this.ticker.advance(100_000);
		assertThat(limiter.tryAcquire(PermitRequest.of("queue")).allowed()).isTrue();
	}

	@Test
	void interruptedCallKeepsTheChargesOfItsRequest() {
		TestEvaluator evaluator = evaluator(new WaitQueue(1, this.sleeper), this.store);
		request(evaluator, "queue");
		RateLimitTransaction transaction = begin(evaluator);
		evaluate(transaction, evaluator.matched("plenty"), Stage.ALL);
		this.sleeper.interrupts = true;
		assertThatExceptionOfType(CancellationException.class)
			.isThrownBy(() -> call(transaction, new MethodRules(evaluator.matched("queue"), Map.of()), NOTHING));
		assertThat(Thread.interrupted()).isTrue();
		RateLimiter limiter = evaluator.limiter();
		assertThat(limiter.peek(PermitRequest.of("plenty").cost(10)).allowed()).as("the handler has run").isFalse();
		this.ticker.advance(100_000);
		assertThat(limiter.tryAcquire(PermitRequest.of("queue")).allowed()).isTrue();
	}

	@Test
	void interruptedCallOfTheHandlerRefundsAllCharges() {
		TestEvaluator evaluator = evaluator(new WaitQueue(1, this.sleeper), this.store);
		Rule queue = evaluator.rule("queue").rule();
		CompiledRule byArgument = evaluator.variant(queue.cost("#n"), List.of("n"));
		MethodRules handler = new MethodRules(List.of(new MatchedRule(byArgument, null)), Map.of("n", 0));
		request(evaluator, "queue");
		RateLimitTransaction transaction = begin(evaluator);
		transaction.expect(handler);
		evaluate(transaction, evaluator.matched("plenty"), Stage.ALL);
		this.sleeper.interrupts = true;
		assertThatExceptionOfType(CancellationException.class)
			.isThrownBy(() -> call(transaction, handler, new Object[] { 1 }));
		assertThat(Thread.interrupted()).isTrue();
		assertThat(evaluator.limiter().peek(PermitRequest.of("plenty").cost(10)).allowed())
			.as("the handler has not run")
			.isTrue();
	}

	@Test
	void requestThatIsRejectedLaterIsRefundedItsReservation() {
		WaitQueue queue = new WaitQueue(1, this.sleeper);
		TestEvaluator evaluator = evaluator(queue, this.store);
		request(evaluator, "queue");
		RateLimiter limiter = evaluator.limiter();
		limiter.acquire(PermitRequest.of("plenty").cost(10));
		RateLimitTransaction transaction = begin(evaluator);
		evaluate(transaction, evaluator.matched("queue"), Stage.BEFORE_AUTHENTICATION);
		assertThat(queue.hasRoom()).isTrue();
		assertThat(evaluate(transaction, evaluator.matched("plenty"), Stage.AFTER_AUTHENTICATION).allowed()).isFalse();
		transaction.rollback();
		this.ticker.advance(100_000);
		assertThat(limiter.tryAcquire(PermitRequest.of("queue")).allowed()).isTrue();
	}

	@Test
	void requestWaitsForTheLongestWaitOfAllRules() {
		TestEvaluator evaluator = evaluator(new WaitQueue(9, this.sleeper), this.store);
		List<MatchedRule> both = evaluator.matched("queue", "slow");
		evaluate(begin(evaluator), both, Stage.ALL);
		evaluate(begin(evaluator), both, Stage.ALL);
		assertThat(this.waits).containsExactly(Duration.ofSeconds(1));
	}

	@Test
	void shadowRuleDelaysNoRequest() {
		TestEvaluator evaluator = evaluator(new WaitQueue(9, this.sleeper), this.store);
		for (int i = 0; i < 5; i++) {
			assertThat(request(evaluator, "shadow").allowed()).isTrue();
		}
		assertThat(this.waits).isEmpty();
		assertThat(this.published).contains(RuleOutcome.ALLOWED, RuleOutcome.SHADOW_REJECTED).hasSize(5);
	}

	@Test
	void callOfAMethodWaits() {
		this.sleeper.passes = true;
		TestEvaluator evaluator = evaluator(new WaitQueue(1, this.sleeper), this.store);
		MethodRules rules = new MethodRules(evaluator.matched("queue"), Map.of());
		call(begin(evaluator), rules, NOTHING);
		assertThat(call(begin(evaluator), rules, NOTHING).allowed()).isTrue();
		assertThat(this.waits).containsExactly(Duration.ofMillis(100));
	}

	@Test
	void codeWaitsIfItCallsAwait() {
		this.sleeper.passes = true;
		WaitQueue queue = new WaitQueue(1, this.sleeper);
		RateLimiter limiter = evaluator(queue, this.store).limiter();
		limiter.await(PermitRequest.of("queue"));
		Verdict verdict = limiter.await(PermitRequest.of("queue"), PermitRequest.of("plenty"));
		assertThat(verdict.allowed()).isTrue();
		assertThat(this.waits).containsExactly(Duration.ofMillis(100));
		assertThat(this.published).containsExactly(RuleOutcome.ALLOWED, RuleOutcome.DELAYED, RuleOutcome.ALLOWED);
		assertThat(queue.hasRoom()).isTrue();
	}

	@Test
	void codeThatWouldWaitForTooLongGetsTheWait() {
		RateLimiter limiter = evaluator(new WaitQueue(9, this.sleeper), this.store).limiter();
		for (int i = 0; i < 3; i++) {
			limiter.await(PermitRequest.of("queue"));
		}
		assertThatExceptionOfType(RateLimitExceededException.class)
			.isThrownBy(() -> limiter.await(PermitRequest.of("queue")))
			.satisfies((ex) -> assertThat(ex.retryAfter()).isEqualTo(Duration.ofMillis(50)));
		assertThat(this.waits).hasSize(2);
	}

	@Test
	void codeIsRejectedIfItsBucketIsPausedDuringItsWait() {
		List<RateLimiter> limiter = new ArrayList<>();
		List<Duration> pauses = new ArrayList<>(List.of(Duration.ofMillis(300), Duration.ofSeconds(30)));
		Sleeper sleeper = (time) -> {
			this.ticker.advance(time);
			limiter.get(0).syncRemaining(PermitRequest.of("queue"), 0, pauses.remove(0));
		};
		limiter.add(evaluator(new WaitQueue(9, sleeper), this.store).limiter());
		limiter.get(0).await(PermitRequest.of("queue"));
		assertThat(limiter.get(0).await(PermitRequest.of("queue")).allowed()).as("a short pause").isTrue();
		this.ticker.advance(Duration.ofMillis(250));
		assertThatExceptionOfType(RateLimitExceededException.class)
			.isThrownBy(() -> limiter.get(0).await(PermitRequest.of("queue")))
			.satisfies((ex) -> assertThat(ex.retryAfter()).isEqualTo(Duration.ofMillis(29_750)));
		assertThat(pauses).isEmpty();
	}

	@Test
	void codeWithoutASlotDoesNotWait() {
		RateLimiter limiter = evaluator(new WaitQueue(0, this.sleeper), this.store).limiter();
		limiter.await(PermitRequest.of("queue"));
		assertThatExceptionOfType(RateLimitExceededException.class)
			.isThrownBy(() -> limiter.await(PermitRequest.of("queue")));
		assertThat(this.waits).isEmpty();
	}

	@Test
	void interruptOfCodeThatWaitsRefundsItsPermits() {
		WaitQueue queue = new WaitQueue(1, this.sleeper);
		RateLimiter limiter = evaluator(queue, this.store).limiter();
		limiter.await(PermitRequest.of("queue"));
		this.sleeper.interrupts = true;
		assertThatExceptionOfType(CancellationException.class)
			.isThrownBy(() -> limiter.await(PermitRequest.of("queue"), PermitRequest.of("plenty")));
		assertThat(Thread.interrupted()).isTrue();
		assertThat(queue.hasRoom()).isTrue();
		assertThat(limiter.peek(PermitRequest.of("plenty").cost(10)).allowed()).isTrue();
		this.ticker.advance(100_000);
		assertThat(limiter.tryAcquire(PermitRequest.of("queue")).allowed()).isTrue();
	}

	@Test
	void codeThatDoesNotCallAwaitNeverWaits() {
		TestEvaluator evaluator = evaluator(new WaitQueue(9, this.sleeper), this.store);
		RateLimiter limiter = evaluator.limiter();
		limiter.acquire(PermitRequest.of("queue"));
		assertThat(limiter.tryAcquire(PermitRequest.of("queue")).allowed()).isFalse();
		assertThat(evaluator.evaluate(evaluator.matched("queue"), Caller.UNKNOWN).allowed()).isFalse();
		assertThat(this.waits).isEmpty();
	}

	private TestEvaluator evaluator(WaitQueue queue, BucketStore buckets) {
		Limit tenths = new LeakyBucket(Rate.parse("10/s"));
		VerdictPublisher publisher = new VerdictPublisher(EvaluationObserver.NONE, () -> List.of((verdict,
				caller) -> verdict.decisions().forEach((decision) -> this.published.add(decision.outcome()))));
		return TestEvaluators.of(buckets, publisher, queue, waiting(TestRules.rule("queue", tenths), 250),
				waiting(TestRules.rule("shadow", tenths), 250).options((options) -> options.mode(RuleMode.SHADOW)),
				waiting(TestRules.rule("slow", new LeakyBucket(Rate.parse("1/s"))), 5000),
				TestRules.rule("plenty", 10));
	}

	private static Rule waiting(Rule rule, long maxWait) {
		return rule.options((options) -> options.with(new ReservationOptions(0, Duration.ofMillis(maxWait))));
	}

	private static RateLimitTransaction begin(TestEvaluator evaluator) {
		return evaluator.begin(Caller.UNKNOWN);
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

	private static Verdict request(TestEvaluator evaluator, String rule) {
		RateLimitTransaction transaction = begin(evaluator);
		Verdict verdict = evaluate(transaction, evaluator.matched(rule), Stage.ALL);
		transaction.complete(RequestOutcome.answered(200));
		return verdict;
	}

	/**
	 * Records the time of each sleep, and optionally advances the ticker by this time.
	 */
	private final class RecordingSleeper implements Sleeper {

		private boolean passes;

		private boolean interrupts;

		@Override
		public void sleep(Duration time) throws InterruptedException {
			if (this.interrupts) {
				throw new InterruptedException();
			}
			WaitingTests.this.waits.add(time);
			if (this.passes) {
				WaitingTests.this.ticker.advance(time.toNanos() / 1000);
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
