package io.tierlimit.evaluation;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CancellationException;

import io.tierlimit.Hold;
import io.tierlimit.PermitRequest;
import io.tierlimit.RateLimiter;
import io.tierlimit.RuleDecision;
import io.tierlimit.RuleMode;
import io.tierlimit.RuleOutcome;
import io.tierlimit.Verdict;
import io.tierlimit.limit.LeakyBucket;
import io.tierlimit.limit.Rate;
import io.tierlimit.rule.RuleSet;
import io.tierlimit.rule.TestRules;
import io.tierlimit.spi.Caller;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests requests, calls and code that wait until permits in use are released.
 */
class ReleaseWaitTests extends ReleaseTraffic {

	private static final Duration INTERVAL = Duration.ofMillis(200);

	private final RecordedCalls recorded = new RecordedCalls(this.store);

	private final WaitQueue queue = new WaitQueue(2, this.sleeper);

	private final TestEvaluator evaluator = evaluator(this.recorded, this.queue, inUse("exports", 1, MAX_WAIT),
			inUse("other", 1, MAX_WAIT), inUse("strict", 1, Duration.ZERO), TestRules.rule("calls", 10),
			waiting(TestRules.rule("queue", new LeakyBucket(Rate.parse("10/s"))), Duration.ofMillis(250)),
			candidate(inUse("compared", 1, MAX_WAIT), TestRules.bucket(5)));

	private final RateLimiter limiter = this.evaluator.limiter();

	@Test
	void requestWaitsUntilAPermitIsReleased() {
		Hold hold = this.limiter.hold(EXPORT);
		this.sleeper.then(SimulatedSleeper.NOTHING).then(hold::close);
		Verdict verdict = request("exports", "calls");
		assertThat(verdict.allowed()).isTrue();
		assertThat(this.sleeper.sleeps).containsExactly(INTERVAL, INTERVAL);
		assertThat(this.ticker.ticks()).as("the release ends the second sleep").isEqualTo(200_000);
		assertThat(this.published).as("the hold, and the request with two rules")
			.hasSize(3)
			.containsOnly(RuleOutcome.ALLOWED);
		assertThat(this.observed).allMatch(Verdict::allowed);
		assertThat(remaining(EXPORT)).isOne();
		assertThat(remaining(CALL)).as("once").isEqualTo(9);
		assertThatQueueIsEmpty();
	}

	@Test
	void requestWaitsForARequestOfAnotherInstance() {
		Hold hold = evaluator(new WaitQueue(0, this.sleeper), inUse("exports", 1, MAX_WAIT)).limiter().hold(EXPORT);
		this.sleeper.then(SimulatedSleeper.NOTHING).then(hold::close);
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
		assertThat(this.published).containsExactly(RuleOutcome.REJECTED, RuleOutcome.ALLOWED);
		assertThat(this.observed).extracting(Verdict::allowed).as("the wait, and its end").containsExactly(true, false);
		assertThat(this.recorded.calls).filteredOn((call) -> call.startsWith("acquire"))
			.as("the hold, the request, and four turns")
			.hasSize(6);
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
	void interruptEndsTheWaitWithoutPermits() {
		Hold hold = this.limiter.hold(EXPORT);
		this.sleeper.thenInterrupt();
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
		this.sleeper.thenInterrupt();
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
		transaction.complete(OK);
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
		TestEvaluator evaluator = evaluator(this.queue, inUse("exports", 1, MAX_WAIT),
				shadow(banning(perUser("shadow", TestRules.bucket(1)))));
		PermitRequest alice = PermitRequest.of("shadow").user("alice");
		evaluator.limiter().hold(EXPORT);
		evaluator.limiter().acquire(alice);
		RateLimitTransaction transaction = evaluator.begin(ALICE);
		transaction.await(transaction.evaluate(evaluator.matched("exports", "shadow"), Stage.ALL));
		assertThat(this.sleeper.sleeps).hasSizeGreaterThan(3);
		assertThat(evaluator.limiter().acquire(alice).decisions()).as("the second violation")
			.allSatisfy((decision) -> assertThat(decision.decision().ban()).isNull());
		assertThat(evaluator.limiter().acquire(alice).decisions()).as("the third violation")
			.allSatisfy((decision) -> assertThat(decision.decision().ban()).isNotNull());
	}

	@Test
	void candidateIsChargedOnce() {
		PermitRequest compared = PermitRequest.of("compared");
		Hold hold = this.limiter.hold(compared);
		this.sleeper.then(SimulatedSleeper.NOTHING).then(SimulatedSleeper.NOTHING).then(hold::close);
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

	private Verdict request(String... rules) {
		return request(this.evaluator, rules);
	}

}
