package io.tierlimit.evaluation;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Semaphore;

import io.tierlimit.Hold;
import io.tierlimit.PermitRequest;
import io.tierlimit.RateLimitExceededException;
import io.tierlimit.RateLimiter;
import io.tierlimit.RuleDecision;
import io.tierlimit.RuleMode;
import io.tierlimit.Verdict;
import io.tierlimit.Verdict.Outcome;
import io.tierlimit.junit.Poll;
import io.tierlimit.key.SimpleCaller;
import io.tierlimit.limit.BanPolicy;
import io.tierlimit.limit.Concurrency;
import io.tierlimit.limit.LeakyBucket;
import io.tierlimit.limit.Overrun;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.StoreFailurePolicy;
import io.tierlimit.option.ban.Banning;
import io.tierlimit.option.candidate.CandidateLimits;
import io.tierlimit.option.wait.ReservationOptions;
import io.tierlimit.rule.RequestOutcome;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.RuleLimits;
import io.tierlimit.rule.RuleSet;
import io.tierlimit.rule.Scope;
import io.tierlimit.rule.TestRules;
import io.tierlimit.spi.Caller;
import io.tierlimit.store.AcquireResult;
import io.tierlimit.store.AcquireResult.Source;
import io.tierlimit.store.Charge;
import io.tierlimit.store.DelegatingBucketStore;
import io.tierlimit.store.Settlement;
import io.tierlimit.store.SimulatedTicker;
import io.tierlimit.store.StoreFailureFlag;
import io.tierlimit.store.memory.InMemoryBucketStore;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests requests, calls and code that wait until permits in use are released. The clock
 * is simulated: what other threads do happens while the request sleeps.
 */
class ReleaseWaitTests {

	private static final Duration MAX_WAIT = Duration.ofSeconds(1);

	private static final Duration INTERVAL = Duration.ofMillis(200);

	private static final PermitRequest EXPORT = PermitRequest.of("exports");

	private static final PermitRequest CALL = PermitRequest.of("calls");

	private static final Object[] NOTHING = {};

	private final SimulatedTicker ticker = new SimulatedTicker();

	private final InMemoryBucketStore store = new InMemoryBucketStore(this.ticker, 100);

	private final List<Verdict> published = new ArrayList<>();

	private final List<Verdict> observed = new ArrayList<>();

	private final SimulatedSleeper sleeper = new SimulatedSleeper();

	private final List<Integer> acquired = new ArrayList<>();

	private final WaitQueue queue = new WaitQueue(2, this.sleeper);

	private final TestEvaluator evaluator = evaluator(this.queue, inUse("exports", 1, MAX_WAIT),
			inUse("other", 1, MAX_WAIT), inUse("strict", 1, Duration.ZERO), TestRules.rule("calls", 10),
			waiting(TestRules.rule("queue", new LeakyBucket(Rate.parse("10/s"))), Duration.ofMillis(250)),
			inUse("compared", 1, MAX_WAIT)
				.options((options) -> options.with(new CandidateLimits(new RuleLimits(TestRules.bucket(5))))));

	private final RateLimiter limiter = this.evaluator.limiter();

	@Test
	void requestWaitsUntilAPermitIsReleased() {
		Hold hold = this.limiter.hold(EXPORT);
		this.sleeper.then(this::nothing).then(hold::close);
		Verdict verdict = request("exports", "calls");
		assertThat(verdict.allowed()).isTrue();
		assertThat(this.sleeper.sleeps).containsExactly(INTERVAL, INTERVAL);
		assertThat(this.ticker.ticks()).as("the release ends the second sleep").isEqualTo(200_000);
		assertThat(this.published).as("the hold, and the request").hasSize(2).allMatch(Verdict::allowed);
		assertThat(this.observed).allMatch(Verdict::allowed);
		assertThat(remaining(EXPORT)).isOne();
		assertThat(remaining(CALL)).as("once").isEqualTo(9);
		assertThatQueueIsEmpty();
	}

	@Test
	void requestWaitsForARequestOfAnotherInstance() {
		Hold hold = evaluator(new WaitQueue(0, this.sleeper), inUse("exports", 1, MAX_WAIT)).limiter().hold(EXPORT);
		this.sleeper.then(this::nothing).then(hold::close);
		assertThat(request("exports").allowed()).isTrue();
		assertThat(this.ticker.ticks()).isEqualTo(400_000);
	}

	@Test
	void waitEndsWithTheLastRejectionAfterMaxWait() {
		this.limiter.hold(EXPORT);
		this.published.clear();
		this.observed.clear();
		Verdict rejected = request("exports", "calls");
		assertThat(rejected.violated()).extracting(RuleDecision::rule).containsExactly("exports");
		assertThat(this.ticker.ticks()).isEqualTo(1_000_000);
		assertThat(this.published).singleElement().satisfies((verdict) -> assertThat(verdict.allowed()).isFalse());
		assertThat(this.observed).extracting(Verdict::allowed).as("the wait, and its end").containsExactly(true, false);
		assertThat(this.acquired).as("the hold, the request, and four turns").hasSize(6);
		assertThat(remaining(CALL)).isEqualTo(10);
		assertThatQueueIsEmpty();
	}

	@Test
	void requestThatWaitsHasNoPermits() {
		Hold hold = this.limiter.hold(EXPORT);
		this.sleeper.then(() -> {
			assertThat(remaining(CALL)).isEqualTo(10);
			assertThat(remaining(PermitRequest.of("other"))).isOne();
		}).then(hold::close);
		assertThat(request("calls", "other", "exports").allowed()).isTrue();
	}

	@Test
	void ruleWithoutAWaitRejectsAtOnce() {
		this.limiter.hold(EXPORT, PermitRequest.of("strict"));
		assertThat(request("exports", "strict").violated()).hasSize(2);
		this.limiter.acquire(CALL.cost(10));
		assertThat(request("exports", "calls").violated()).hasSize(2);
		assertThat(this.sleeper.sleeps).isEmpty();
	}

	@Test
	void ruleThatRejectsInTheMeantimeEndsTheWait() {
		this.limiter.hold(EXPORT);
		this.sleeper.then(() -> this.limiter.acquire(CALL.cost(10)));
		assertThat(request("exports", "calls").violated()).extracting(RuleDecision::rule)
			.containsExactly("exports", "calls");
		assertThat(this.sleeper.sleeps).hasSize(1);
	}

	@Test
	void requestWaitsForOnePermitAfterTheOther() {
		Hold exports = this.limiter.hold(EXPORT);
		this.sleeper.then(() -> {
			Hold other = this.limiter.hold(PermitRequest.of("other"));
			this.sleeper.then(other::close);
			exports.close();
		});
		assertThat(request("exports", "other").allowed()).isTrue();
		assertThat(this.ticker.ticks()).isZero();
	}

	@Test
	void waitIsBoundedByTheShortestMaxWaitOfTheViolatedRules() {
		TestEvaluator both = evaluator(this.queue, inUse("exports", 1, MAX_WAIT),
				inUse("short", 1, Duration.ofMillis(300)));
		both.limiter().hold(EXPORT, PermitRequest.of("short"));
		assertThat(request(both, "exports", "short").allowed()).isFalse();
		assertThat(this.ticker.ticks()).isEqualTo(300_000);
	}

	@Test
	void newRequestDoesNotOvertakeARequestThatWaits() {
		WaitQueue one = new WaitQueue(1, this.sleeper);
		TestEvaluator evaluator = evaluator(one, inUse("exports", 1, MAX_WAIT));
		Hold hold = evaluator.limiter().hold(EXPORT);
		this.sleeper.then(() -> {
			hold.close();
			assertThat(evaluator.remaining(EXPORT)).isOne();
			assertThatExceptionOfType(RateLimitExceededException.class)
				.isThrownBy(() -> evaluator.limiter().hold(EXPORT))
				.satisfies((ex) -> assertThat(violated(ex)).singleElement()
					.satisfies((decision) -> assertThat(decision.decision().isWaitUnknown()).isTrue()));
		});
		assertThat(request(evaluator, "exports").allowed()).isTrue();
	}

	@Test
	void otherRuleRejectsARequestBehindAnother() {
		Hold hold = this.limiter.hold(EXPORT);
		this.limiter.acquire(CALL.cost(10));
		this.sleeper.then(() -> {
			hold.close();
			assertThatExceptionOfType(RateLimitExceededException.class)
				.isThrownBy(() -> this.limiter.hold(EXPORT, CALL))
				.satisfies((ex) -> assertThat(violated(ex)).extracting(RuleDecision::rule).containsExactly("calls"));
		});
		assertThat(request("exports").allowed()).isTrue();
		assertThat(remaining(EXPORT)).isOne();
	}

	@Test
	void requestBehindAnotherIsDecidedInOneCall() {
		List<String> calls = new ArrayList<>();
		TestEvaluator evaluator = TestEvaluators.of(new DelegatingBucketStore(this.store) {

			@Override
			public AcquireResult acquire(List<Charge> charges, StoreFailureFlag failureFlag) {
				calls.add("acquire");
				return super.acquire(charges, failureFlag);
			}

			@Override
			public AcquireResult peek(List<Charge> charges) {
				calls.add("peek");
				return super.peek(charges);
			}

			@Override
			public List<Overrun> settle(List<Settlement> settlements, StoreFailureFlag failureFlag) {
				calls.add("settle");
				return super.settle(settlements, failureFlag);
			}

		}, VerdictPublisher.NONE, new WaitQueue(1, this.sleeper), inUse("exports", 1, MAX_WAIT),
				TestRules.rule("calls", 10));
		Hold hold = evaluator.limiter().hold(EXPORT);
		this.sleeper.then(() -> {
			calls.clear();
			assertThat(request(evaluator, "exports", "calls").violated()).extracting(RuleDecision::rule)
				.containsExactly("exports");
			assertThat(calls).containsExactly("acquire");
			assertThat(evaluator.remaining(CALL)).as("nothing is acquired").isEqualTo(10);
			evaluator.limiter().acquire(CALL.cost(10));
			calls.clear();
			assertThat(request(evaluator, "exports", "calls").violated()).extracting(RuleDecision::rule)
				.containsExactly("calls");
			assertThat(calls).containsExactly("acquire");
			hold.close();
		});
		assertThat(request(evaluator, "exports").allowed()).isTrue();
	}

	@Test
	void requestsForASharedBucketOccupyHalfOfTheSlots() {
		WaitQueue four = new WaitQueue(4, this.sleeper);
		TestEvaluator evaluator = evaluator(four, inUse("exports", 1, MAX_WAIT), inUse("other", 1, MAX_WAIT));
		PermitRequest other = PermitRequest.of("other");
		List<Hold> holds = List.of(evaluator.limiter().hold(EXPORT), evaluator.limiter().hold(other));
		this.sleeper.then(() -> {
			this.sleeper.then(() -> {
				assertThat(request(evaluator, "exports").allowed()).as("the third").isFalse();
				assertThat(this.sleeper.sleeps).hasSize(2);
				this.sleeper.then(holds.get(1)::close);
				assertThat(request(evaluator, "other").allowed()).isTrue();
			});
			assertThat(request(evaluator, "exports").allowed()).as("the second, behind the first").isFalse();
			holds.get(0).close();
		});
		request(evaluator, "exports");
	}

	@Test
	void requestsAreNotOrderedWhileTheStoreIsUnavailable() {
		List<StoreFailurePolicy> outage = new ArrayList<>();
		TestEvaluator evaluator = TestEvaluators.of(new DelegatingBucketStore(this.store) {

			@Override
			public AcquireResult acquire(List<Charge> charges, StoreFailureFlag failureFlag) {
				return outage.isEmpty() ? super.acquire(charges, failureFlag)
						: AcquireResult.unreachable(charges, outage.get(0));
			}

			@Override
			public AcquireResult peek(List<Charge> charges) {
				AcquireResult result = super.peek(charges);
				return outage.isEmpty() ? result
						: new AcquireResult(true, Source.FALLBACK, result.decisions(), result.charges());
			}

		}, VerdictPublisher.NONE, this.queue, inUse("exports", 1, MAX_WAIT));
		evaluator.limiter().hold(EXPORT);
		this.sleeper.then(() -> {
			outage.add(StoreFailurePolicy.DENY);
			assertThat(request(evaluator, "exports").outcome()).isEqualTo(Outcome.UNAVAILABLE);
			outage.set(0, StoreFailurePolicy.ALLOW);
			assertThat(request(evaluator, "exports").outcome()).isEqualTo(Outcome.ALLOWED);
		});
		assertThat(request(evaluator, "exports").outcome()).isEqualTo(Outcome.ALLOWED);
		assertThat(this.sleeper.sleeps).hasSize(1);
	}

	@Test
	void requestsAreAllowedInTheOrderOfTheirArrival() throws Exception {
		BlockingSleeper blocking = new BlockingSleeper();
		TestEvaluator evaluator = evaluator(new WaitQueue(9, blocking), inUse("exports", 1, MAX_WAIT));
		Deque<Hold> holds = new ArrayDeque<>(List.of(evaluator.limiter().hold(EXPORT)));
		ConcurrentLinkedQueue<Integer> order = new ConcurrentLinkedQueue<>();
		List<Hold> acquired = new CopyOnWriteArrayList<>();
		ExecutorService threads = Executors.newCachedThreadPool();
		try {
			List<CompletableFuture<Void>> waiting = new ArrayList<>();
			for (int i = 0; i < 5; i++) {
				int number = i;
				waiting.add(CompletableFuture.runAsync(() -> {
					Hold hold = evaluator.limiter().hold(EXPORT);
					order.add(number);
					acquired.add(hold);
				}, threads));
				Poll.until(() -> blocking.sleeping() == number + 1, () -> "sleeping: " + blocking.sleeping());
			}
			for (int i = 0; i < 5; i++) {
				int number = i;
				holds.removeFirst().close();
				Poll.until(() -> acquired.size() == number + 1, () -> "acquired: " + order);
				holds.add(acquired.get(number));
				blocking.advance(Duration.ofMillis(10));
			}
			assertThat(order).containsExactly(0, 1, 2, 3, 4);
			waiting.forEach(CompletableFuture::join);
		}
		finally {
			threads.shutdownNow();
		}
	}

	@Test
	void interruptEndsTheWaitWithoutPermits() {
		Hold hold = this.limiter.hold(EXPORT);
		this.sleeper.then(() -> Thread.currentThread().interrupt());
		RateLimitTransaction transaction = this.evaluator.begin(Caller.UNKNOWN);
		transaction.await(transaction.evaluate(this.evaluator.matched("calls"), Stage.BEFORE_AUTHENTICATION));
		Verdict waiting = transaction.evaluate(this.evaluator.matched("exports"), Stage.AFTER_AUTHENTICATION);
		assertThatExceptionOfType(CancellationException.class).isThrownBy(() -> transaction.await(waiting));
		assertThat(Thread.interrupted()).isTrue();
		assertThat(remaining(CALL)).as("the handler has not run").isEqualTo(10);
		assertThatQueueIsEmpty();
		hold.close();
		assertThat(request("exports").allowed()).isTrue();
	}

	@Test
	void interruptOfCodeEndsItsWait() {
		this.limiter.hold(EXPORT);
		this.sleeper.then(() -> Thread.currentThread().interrupt());
		assertThatExceptionOfType(CancellationException.class).isThrownBy(() -> this.limiter.hold(EXPORT, CALL));
		assertThat(Thread.interrupted()).isTrue();
		assertThat(remaining(CALL)).isEqualTo(10);
		assertThatQueueIsEmpty();
	}

	@Test
	void requestWithoutASlotDoesNotWait() {
		TestEvaluator without = evaluator(new WaitQueue(0, this.sleeper), inUse("exports", 1, MAX_WAIT));
		without.limiter().hold(EXPORT);
		assertThat(request(without, "exports").allowed()).isFalse();
		assertThat(this.sleeper.sleeps).isEmpty();
	}

	@Test
	void requestsOfOneCallerOccupyATenthOfTheSlots() {
		TestEvaluator perUser = evaluator(new WaitQueue(10, this.sleeper), perUser("exports", 1, MAX_WAIT));
		RateLimiter limiter = perUser.limiter();
		Hold alice = limiter.hold(EXPORT.user("alice"));
		Hold bob = limiter.hold(EXPORT.user("bob"));
		this.sleeper.then(() -> {
			assertThatExceptionOfType(RateLimitExceededException.class).as("the second of alice")
				.isThrownBy(() -> limiter.hold(EXPORT.user("alice")));
			this.sleeper.then(bob::close);
			limiter.hold(EXPORT.user("bob"));
			alice.close();
		});
		limiter.hold(EXPORT.user("alice"));
		assertThat(this.ticker.ticks()).isZero();
	}

	@Test
	void codeWaitsForPermitsInUse() {
		Hold first = this.limiter.hold(EXPORT);
		this.sleeper.then(first::close);
		try (Hold second = this.limiter.hold(EXPORT, CALL)) {
			assertThat(second.verdict().decisions()).hasSize(2);
			assertThat(remaining(EXPORT)).isZero();
		}
		assertThat(remaining(EXPORT)).isOne();
		assertThat(this.sleeper.sleeps).hasSize(1);
	}

	@Test
	void codeDoesNotWaitWithoutMaxWait() {
		PermitRequest strict = PermitRequest.of("strict");
		this.limiter.hold(strict);
		assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(() -> this.limiter.hold(strict));
		assertThat(this.sleeper.sleeps).isEmpty();
	}

	@Test
	void codeThatWaitsIsDecidedUnderTheCurrentRules() {
		this.limiter.hold(EXPORT);
		this.sleeper.then(() -> this.evaluator.replace(inUse("exports", 2, MAX_WAIT)));
		assertThat(this.limiter.hold(EXPORT).verdict().allowed()).isTrue();
		this.sleeper.then(() -> this.evaluator
			.replace(new RuleSet(List.of(), Map.of(), Set.of("exports"), List.of(), RuleMode.ENFORCE)));
		assertThat(this.limiter.hold(EXPORT).verdict().decisions()).as("the rule was disabled").isEmpty();
		assertThat(this.sleeper.sleeps).hasSize(2);
	}

	@Test
	void annotatedMethodWaits() throws Exception {
		Hold hold = this.limiter.hold(EXPORT);
		this.sleeper.then(hold::close);
		MethodRules exports = new MethodRules(this.evaluator.matched("exports"), Map.of());
		Method method = ReleaseWaitTests.class.getDeclaredMethod("annotatedMethodWaits");
		RunningCall call = new StandaloneCalls(this.evaluator.activeRules(), new OneMethod(exports),
				this.evaluator.evaluator(), () -> Caller.UNKNOWN)
			.beginCall(method, ReleaseWaitTests.class, NOTHING);
		assertThat(remaining(EXPORT)).isZero();
		call.end();
		assertThat(remaining(EXPORT)).isOne();
	}

	@Test
	void handlerThatWaitsIsCommittedWhenItIsAllowed() {
		Hold hold = this.limiter.hold(EXPORT);
		CompiledRule byArgument = this.evaluator.variant(this.evaluator.rule("exports").rule().cost("#n"),
				List.of("n"));
		MethodRules handler = new MethodRules(List.of(new MatchedRule(byArgument, null)), Map.of("n", 0));
		RateLimitTransaction transaction = this.evaluator.begin(Caller.UNKNOWN);
		transaction.expect(handler);
		assertThat(transaction.beginHandlerCall(handler)).isTrue();
		Verdict waiting = transaction.evaluateHandlerCall(handler, new Object[] { 1 });
		this.sleeper.then(() -> {
			assertThat(transaction.beginHandlerCall(handler)).as("while the first call waits").isFalse();
			hold.close();
		});
		assertThat(transaction.await(waiting).allowed()).isTrue();
		transaction.commit();
		assertThat(transaction.isOpen()).isFalse();
		transaction.complete(RequestOutcome.answered(200));
		assertThat(remaining(EXPORT)).isOne();
	}

	@Test
	void handlerThatIsRejectedAfterItsWaitIsExpectedAgain() {
		this.limiter.hold(EXPORT);
		CompiledRule byArgument = this.evaluator.variant(this.evaluator.rule("exports").rule().cost("#n"),
				List.of("n"));
		MethodRules handler = new MethodRules(List.of(new MatchedRule(byArgument, null)), Map.of("n", 0));
		RateLimitTransaction transaction = this.evaluator.begin(Caller.UNKNOWN);
		transaction.expect(handler);
		transaction.beginHandlerCall(handler);
		assertThat(transaction.await(transaction.evaluateHandlerCall(handler, new Object[] { 1 })).allowed()).isFalse();
		assertThat(transaction.beginHandlerCall(handler)).isTrue();
	}

	@Test
	void requestAcquiresPermitsInUseBeforeItWaitsForARate() {
		WaitQueue one = new WaitQueue(1, this.sleeper);
		TestEvaluator evaluator = evaluator(one, inUse("exports", 1, MAX_WAIT),
				waiting(TestRules.rule("queue", new LeakyBucket(Rate.parse("10/s"))), Duration.ofMillis(250)));
		Hold hold = evaluator.limiter().hold(EXPORT);
		evaluator.limiter().acquire(PermitRequest.of("queue"));
		this.sleeper.then(() -> {
			assertThat(evaluator.limiter().peek(PermitRequest.of("queue")).violated()).singleElement()
				.satisfies((decision) -> assertThat(decision.decision().retryAfter()).as("nothing is reserved")
					.isEqualTo(Duration.ofMillis(100)));
			hold.close();
		}).then(() -> {
			assertThat(evaluator.remaining(EXPORT)).as("in use while the request waits for the rate").isZero();
			assertThat(one.hasRoom()).isFalse();
		});
		assertThat(request(evaluator, "exports", "queue").allowed()).isTrue();
		assertThat(this.sleeper.sleeps).containsExactly(INTERVAL, Duration.ofMillis(100));
		assertThat(evaluator.remaining(EXPORT)).isOne();
		assertThat(one.hasRoom()).isTrue();
	}

	@Test
	void rateThatWouldTakeTooLongRejectsARequestThatCouldWait() {
		this.limiter.hold(EXPORT);
		for (int i = 0; i < 3; i++) {
			this.limiter.await(PermitRequest.of("queue"));
			this.ticker.set(0);
		}
		this.sleeper.sleeps.clear();
		assertThat(request("exports", "queue").violated()).hasSize(2);
		assertThat(this.sleeper.sleeps).isEmpty();
	}

	@Test
	void violationOfAShadowRuleIsCountedOnceForABan() {
		PermitRequest alice = PermitRequest.of("shadow").user("alice");
		RateLimiter limiter = limiterAfterWaitWithViolationInShadowMode(alice);
		assertThat(limiter.acquire(alice).decisions()).as("the second violation")
			.allSatisfy((decision) -> assertThat(decision.decision().ban()).isNull());
		assertThat(limiter.acquire(alice).decisions()).as("the third violation")
			.allSatisfy((decision) -> assertThat(decision.decision().ban()).isNotNull());
	}

	private RateLimiter limiterAfterWaitWithViolationInShadowMode(PermitRequest alice) {
		Rule shadow = TestRules.rule("shadow", 1)
			.scope(Scope.of("user"))
			.options((options) -> options.mode(RuleMode.SHADOW)
				.with(new Banning(
						BanPolicy.of(3, Duration.ofMinutes(1), Duration.ofMinutes(1), Duration.ofMinutes(1)))));
		TestEvaluator evaluator = evaluator(this.queue, inUse("exports", 1, MAX_WAIT), shadow);
		evaluator.limiter().hold(EXPORT);
		evaluator.limiter().acquire(alice);
		RateLimitTransaction transaction = evaluator.begin(SimpleCaller.at("192.0.2.1").as("alice"));
		transaction.await(transaction.evaluate(evaluator.matched("exports", "shadow"), Stage.ALL));
		assertThat(this.sleeper.sleeps).hasSizeGreaterThan(3);
		return evaluator.limiter();
	}

	@Test
	void candidateIsChargedOnce() {
		PermitRequest compared = PermitRequest.of("compared");
		Hold hold = this.limiter.hold(compared);
		this.sleeper.then(this::nothing).then(this::nothing).then(hold::close);
		assertThat(request("compared").allowed()).isTrue();
		assertThat(this.evaluator.limiter().peek(compared.cost(0)).decisions().get(1).decision().remaining())
			.as("the hold, and the request")
			.isEqualTo(3);
	}

	@Test
	void failureInATurnEndsTheWait() {
		Hold hold = this.limiter.hold(EXPORT);
		List<String> checks = new ArrayList<>();
		RateLimitTransaction transaction = new RateLimitTransaction(this.evaluator.evaluator(), Caller.UNKNOWN, () -> {
			checks.add("parameters");
			if (checks.size() == 2) {
				throw new IllegalStateException("on purpose");
			}
		});
		Verdict waiting = transaction.evaluate(this.evaluator.matched("exports"), Stage.ALL);
		assertThatIllegalStateException().isThrownBy(() -> transaction.await(waiting));
		assertThatQueueIsEmpty();
		hold.close();
		assertThat(request("exports").allowed()).isTrue();
	}

	@Test
	void requestThatDoesNotWaitYetIsNotAllowed() {
		this.limiter.hold(EXPORT);
		RateLimitTransaction transaction = this.evaluator.begin(Caller.UNKNOWN);
		assertThat(transaction.evaluate(this.evaluator.matched("exports"), Stage.ALL).allowed()).isFalse();
	}

	private static List<RuleDecision> violated(RateLimitExceededException ex) {
		return Objects.requireNonNull(ex.verdict()).violated();
	}

	private void nothing() {
	}

	private void assertThatQueueIsEmpty() {
		assertThat(this.queue.enter(Verdict.UNLIMITED)).isTrue();
		assertThat(this.queue.enter(Verdict.UNLIMITED)).isTrue();
		this.queue.leave(null);
		this.queue.leave(null);
		List<RuleCharge> charges = Resolution.of(this.evaluator.matched("exports", "other"), Caller.UNKNOWN)
			.ruleCharges();
		assertThat(this.queue.releases().waitedFor(charges, null)).isEmpty();
	}

	private long remaining(PermitRequest bucket) {
		return this.evaluator.remaining(bucket);
	}

	private Verdict request(String... rules) {
		return request(this.evaluator, rules);
	}

	private static Verdict request(TestEvaluator evaluator, String... rules) {
		RateLimitTransaction transaction = evaluator.begin(Caller.UNKNOWN);
		Verdict verdict = transaction.await(transaction.evaluate(evaluator.matched(rules), Stage.ALL));
		transaction.complete(RequestOutcome.answered(200));
		return verdict;
	}

	private TestEvaluator evaluator(WaitQueue queue, Rule... rules) {
		VerdictPublisher publisher = new VerdictPublisher((evaluation) -> {
			Verdict verdict = evaluation.get();
			this.observed.add(verdict);
			return verdict;
		}, () -> List.of((verdict, caller) -> this.published.add(verdict)));
		return TestEvaluators.of(new DelegatingBucketStore(this.store) {

			@Override
			public AcquireResult acquire(List<Charge> charges, StoreFailureFlag failureFlag) {
				ReleaseWaitTests.this.acquired.add(charges.size());
				return super.acquire(charges, failureFlag);
			}

		}, publisher, queue, rules);
	}

	private static Rule inUse(String id, long limit, Duration maxWait) {
		return waiting(TestRules.rule(id, Concurrency.of(limit, Duration.ofMinutes(10))), maxWait);
	}

	static Rule perUser(String id, long limit, Duration maxWait) {
		return inUse(id, limit, maxWait).scope(Scope.of("user"));
	}

	private static Rule waiting(Rule rule, Duration maxWait) {
		return maxWait.isZero() ? rule : rule.options((options) -> options.with(new ReservationOptions(0, maxWait)));
	}

	/**
	 * Runs an action in each sleep, and then advances the time unless the sleep has ended
	 * by a signal.
	 */
	private final class SimulatedSleeper implements Sleeper {

		private final List<Duration> sleeps = new ArrayList<>();

		private final Deque<Runnable> actions = new ArrayDeque<>();

		SimulatedSleeper then(Runnable action) {
			this.actions.add(action);
			return this;
		}

		@Override
		public void sleep(Duration time) throws InterruptedException {
			sleep(time, new Semaphore(0));
		}

		@Override
		public void sleep(Duration time, Semaphore signal) throws InterruptedException {
			this.sleeps.add(time);
			Runnable action = this.actions.poll();
			if (action != null) {
				action.run();
			}
			if (Thread.interrupted()) {
				throw new InterruptedException();
			}
			if (!signal.tryAcquire()) {
				ReleaseWaitTests.this.ticker.advance(time);
			}
		}

		@Override
		public long nanoTime() {
			return 1000 * ReleaseWaitTests.this.ticker.ticks();
		}

	}

	/**
	 * Blocks each thread until it receives a signal, or until the test advances the time.
	 */
	private static final class BlockingSleeper implements Sleeper {

		private final Set<Semaphore> sleeping = ConcurrentHashMap.newKeySet();

		private final SimulatedTicker clock = new SimulatedTicker();

		int sleeping() {
			return this.sleeping.size();
		}

		void advance(Duration time) {
			this.clock.advance(time);
			this.sleeping.forEach(Semaphore::release);
		}

		@Override
		public void sleep(Duration time) {
			throw new IllegalStateException("No permits are reserved");
		}

		@Override
		public void sleep(Duration time, Semaphore signal) throws InterruptedException {
			this.sleeping.add(signal);
			signal.acquire();
			this.sleeping.remove(signal);
		}

		@Override
		public long nanoTime() {
			return 1000 * this.clock.ticks();
		}

	}

	/**
	 * All methods have the same rules.
	 */
	private record OneMethod(MethodRules rules) implements MethodRulesLookup {

		@Override
		public MethodRules of(CompiledRules current, Method method, Class<?> type) {
			return this.rules;
		}

		@Override
		public boolean isAnnotated(Method method, Class<?> type) {
			return true;
		}

		@Override
		public boolean isEmpty() {
			return false;
		}

	}

}
