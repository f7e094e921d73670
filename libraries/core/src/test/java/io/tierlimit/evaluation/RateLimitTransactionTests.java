package io.tierlimit.evaluation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import io.tierlimit.PermitRequest;
import io.tierlimit.RateLimiter;
import io.tierlimit.Verdict;
import io.tierlimit.Verdict.Outcome;
import io.tierlimit.key.SimpleCaller;
import io.tierlimit.limit.Concurrency;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.option.outcome.ChargePolicy;
import io.tierlimit.option.outcome.OutcomeCondition;
import io.tierlimit.option.outcome.StatusRange;
import io.tierlimit.rule.RequestOutcome;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.RuleLimits;
import io.tierlimit.rule.Scope;
import io.tierlimit.rule.Selection;
import io.tierlimit.rule.TestRules;
import io.tierlimit.spi.Caller;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.Charge;
import io.tierlimit.store.SimulatedTicker;
import io.tierlimit.store.memory.InMemoryBucketStore;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class RateLimitTransactionTests {

	private static final RuleLimits TEN = new RuleLimits(new TokenBucket(Rate.parse("1/d"), 10));

	private static final Object[] NOTHING = {};

	private static final OutcomeCondition UNAUTHORIZED = new StatusRange(401, 401);

	private static final OutcomeCondition OK_STATUS = new StatusRange(200, 200);

	private static final OutcomeCondition OTHER = new StatusRange(404, 404);

	private static final RequestOutcome OK = RequestOutcome.answered(200);

	private final InMemoryBucketStore store = new InMemoryBucketStore(new SimulatedTicker(), 100);

	private final List<Verdict> published = new ArrayList<>();

	private final TestEvaluator evaluator = TestEvaluators.of(this.store,
			new VerdictPublisher(EvaluationObserver.NONE,
					() -> List.of((verdict, caller) -> this.published.add(verdict))),
			WaitQueue.NONE, TestRules.rule("request", TEN));

	private final RateLimiter limiter = this.evaluator.limiter();

	private final MatchedRule request = new MatchedRule(this.evaluator.rule("request"), null);

	private final MatchedRule byArgument = new MatchedRule(this.evaluator
		.add(TestRules.rule("argument", TEN).selection(TestRules.CODE).cost("#cost"), List.of("cost")), null);

	private final MethodRules handler = new MethodRules(List.of(this.byArgument), Map.of("cost", 0));

	private final MethodRules service = new MethodRules(List.of(this.request), Map.of());

	@Test
	void requestRuleIsChargedOnce() {
		RateLimitTransaction transaction = begin(MethodRules.NONE);
		evaluate(transaction, List.of(this.request), Stage.ALL);
		call(transaction, this.service, NOTHING);
		call(transaction, this.service, NOTHING);
		assertThat(this.evaluator.remaining("request")).isEqualTo(9);
	}

	@Test
	void rejectedHandlerRefundsOnce() {
		RateLimitTransaction transaction = begin(this.handler);
		evaluate(transaction, List.of(this.request), Stage.ALL);
		assertThat(this.evaluator.remaining("request")).isEqualTo(9);
		assertThat(call(transaction, this.handler, new Object[] { 11 }).allowed()).isFalse();
		assertThat(this.evaluator.remaining("request")).isEqualTo(10);
		this.limiter.acquire(PermitRequest.of("request").cost(5));
		transaction.complete(OK);
		transaction.complete(OK);
		assertThat(this.evaluator.remaining("request")).isEqualTo(5);
	}

	@Test
	void refundedChargeIsChargedAgain() {
		RateLimitTransaction transaction = begin(this.handler);
		evaluate(transaction, List.of(this.request), Stage.ALL);
		call(transaction, this.handler, new Object[] { 11 });
		call(transaction, this.service, NOTHING);
		assertThat(this.evaluator.remaining("request")).isEqualTo(9);
	}

	@Test
	void handlerThatTwoThreadsCallAtTheSameTimeIsChargedTwice() {
		RateLimitTransaction transaction = begin(this.handler);
		assertThat(transaction.beginHandlerCall(this.handler)).isTrue();
		assertThat(transaction.beginHandlerCall(this.handler)).as("before the first call is evaluated").isFalse();
		assertThat(transaction.evaluateHandlerCall(this.handler, new Object[] { 1 }).allowed()).isTrue();
		assertThat(transaction.evaluateCall(this.handler, new Object[] { 1 }).allowed()).isTrue();
		assertThat(this.evaluator.remaining("argument")).isEqualTo(8);
	}

	@Test
	void handlerThatRanKeepsItsCharges() {
		RateLimitTransaction transaction = begin(this.handler);
		evaluate(transaction, List.of(this.request), Stage.ALL);
		assertThat(call(transaction, this.handler, new Object[] { 1 }).allowed()).isTrue();
		assertThat(call(transaction, this.handler, new Object[] { 10 }).allowed()).as("another call").isFalse();
		transaction.complete(OK);
		assertThat(this.evaluator.remaining("request")).isEqualTo(9);
		assertThat(this.evaluator.remaining("argument")).isEqualTo(9);
	}

	@Test
	void caughtRejectionIsNotACharge() {
		RateLimitTransaction transaction = begin(MethodRules.NONE);
		this.limiter.acquire(PermitRequest.of("request").cost(10));
		assertThat(call(transaction, this.service, NOTHING).allowed()).isFalse();
		assertThat(call(transaction, this.service, NOTHING).allowed()).isFalse();
	}

	@Test
	void rejectedCallBeforeTheHandlerKeepsChargesUntilARollback() {
		RateLimitTransaction transaction = begin(this.handler);
		evaluate(transaction, List.of(this.request), Stage.ALL);
		this.limiter.acquire(PermitRequest.of("argument").cost(10));
		MethodRules interceptor = new MethodRules(List.of(this.byArgument), Map.of("cost", 0));
		assertThat(call(transaction, interceptor, new Object[] { 1 }).allowed()).isFalse();
		assertThat(this.evaluator.remaining("request")).as("the rejection may be caught, and the handler may run")
			.isEqualTo(9);
		transaction.rollback();
		assertThat(this.evaluator.remaining("request")).isEqualTo(10);
	}

	@Test
	void rejectionAtALaterStageRefundsTheChargesOfAnEarlierOne() {
		RateLimitTransaction transaction = begin(MethodRules.NONE);
		evaluate(transaction, List.of(this.request), Stage.BEFORE_AUTHENTICATION);
		MatchedRule never = new MatchedRule(this.evaluator.add(TestRules.rule("never", TEN).cost("11"), List.of()),
				null);
		assertThat(evaluate(transaction, List.of(never), Stage.AFTER_AUTHENTICATION).allowed()).isFalse();
		transaction.complete(OK);
		transaction.complete(OK);
		assertThat(this.evaluator.remaining("request")).isEqualTo(10);
	}

	@Test
	void ruleOfTheHandlerIsEvaluatedAtItsStage() {
		MatchedRule user = new MatchedRule(this.evaluator
			.add(TestRules.rule("user", TEN).selection(TestRules.CODE).scope(Scope.of(Scope.USER)), List.of()), null);
		RateLimitTransaction transaction = begin(new MethodRules(List.of(user), Map.of()));
		assertThat(evaluate(transaction, List.of(this.request), Stage.BEFORE_AUTHENTICATION).decisions()).hasSize(1);
		transaction.continueAs(SimpleCaller.at("10.0.0.1").as("alice"));
		Verdict after = evaluate(transaction, List.of(), Stage.AFTER_AUTHENTICATION);
		assertThat(after.decisions()).singleElement()
			.satisfies((decision) -> assertThat(decision.key()).isEqualTo("alice"));
	}

	@Test
	void callsInALoopReleaseTheirPermitsOnceEach() {
		Concurrency limit = Concurrency.of(3, Duration.ofMinutes(10));
		MatchedRule exports = new MatchedRule(
				this.evaluator.add(TestRules.rule("exports", limit).selection(TestRules.CODE), List.of()), null);
		MethodRules method = new MethodRules(List.of(exports), Map.of());
		RateLimitTransaction transaction = begin(MethodRules.NONE);
		List<RunningCall> running = new ArrayList<>();
		for (int i = 0; i < 9; i++) {
			RunningCall call = transaction.beginCall(transaction.evaluateCall(method, NOTHING), true);
			if (i % 4 == 0) {
				running.add(call);
			}
			else {
				call.end();
			}
		}
		assertThat(this.evaluator.remaining("exports")).isZero();
		transaction.complete(OK);
		assertThat(this.evaluator.remaining("exports")).as("calls that continue").isZero();
		running.forEach(RunningCall::end);
		running.forEach(RunningCall::end);
		assertThat(this.evaluator.remaining("exports")).isEqualTo(3);
	}

	@Test
	void requestThatIsEvaluatedAfterItsEndHoldsNothing() {
		Concurrency limit = Concurrency.of(3, Duration.ofMinutes(10));
		MatchedRule exports = new MatchedRule(this.evaluator.add(TestRules.rule("exports", limit), List.of()), null);
		RateLimitTransaction transaction = begin(MethodRules.NONE);
		transaction.complete(OK);
		evaluate(transaction, List.of(exports), Stage.ALL);
		assertThat(this.evaluator.remaining("exports")).isEqualTo(3);
		RunningCall call = transaction
			.beginCall(transaction.evaluateCall(new MethodRules(List.of(exports), Map.of()), NOTHING), true);
		assertThat(this.evaluator.remaining("exports")).isEqualTo(2);
		call.end();
		assertThat(this.evaluator.remaining("exports")).isEqualTo(3);
	}

	@Test
	void conditionalChargeIsRefundedOnceAtTheEnd() {
		MatchedRule failed = ending("failed", Scope.of(), List.of(UNAUTHORIZED), List.of());
		RateLimitTransaction transaction = begin(MethodRules.NONE);
		evaluate(transaction, List.of(this.request, failed), Stage.ALL);
		transaction.commit();
		assertThat(this.evaluator.remaining("failed")).isEqualTo(9);
		transaction.complete(OK);
		assertThat(this.evaluator.remaining("failed")).isEqualTo(10);
		assertThat(this.evaluator.remaining("request")).as("always charged").isEqualTo(9);
		this.limiter.acquire(PermitRequest.of("failed").cost(5));
		transaction.complete(OK);
		transaction.rollback();
		assertThat(this.evaluator.remaining("failed")).isEqualTo(5);
	}

	@Test
	void refundedChargeIsNotRefundedAgainAtTheEnd() {
		MatchedRule failed = ending("failed", Scope.of(), List.of(UNAUTHORIZED), List.of(OTHER));
		RateLimitTransaction transaction = begin(MethodRules.NONE);
		evaluate(transaction, List.of(failed), Stage.BEFORE_AUTHENTICATION);
		transaction.rollback();
		this.limiter.acquire(PermitRequest.of("failed").cost(5));
		transaction.complete(OK);
		transaction.complete(RequestOutcome.answered(404));
		assertThat(this.evaluator.remaining("failed")).isEqualTo(5);
	}

	@Test
	void callsWithinARequestWaitForItsEnd() {
		MatchedRule failed = ending("failed", Scope.of(), List.of(UNAUTHORIZED), List.of(OTHER));
		MethodRules calls = new MethodRules(List.of(failed), Map.of());
		RateLimitTransaction transaction = begin(this.handler);
		transaction.evaluateForward(List.of(failed), Stage.ALL);
		RateLimitTransaction other = begin(MethodRules.NONE);
		call(other, calls, NOTHING);
		assertThat(this.evaluator.remaining("failed")).isEqualTo(8);
		other.complete(RequestOutcome.answered(401));
		transaction.complete(OK);
		assertThat(this.evaluator.remaining("failed")).isEqualTo(9);
		RateLimitTransaction resetting = begin(MethodRules.NONE);
		call(resetting, calls, NOTHING);
		resetting.complete(RequestOutcome.answered(404));
		assertThat(this.evaluator.remaining("failed")).as("the bucket is full").isEqualTo(10);
	}

	@Test
	void callAfterTheEndIsAlwaysCharged() {
		MatchedRule failed = ending("failed", TestRules.CODE, Scope.of(), List.of(UNAUTHORIZED), List.of());
		MethodRules calls = new MethodRules(List.of(failed), Map.of());
		RateLimitTransaction transaction = begin(MethodRules.NONE);
		transaction.complete(OK);
		call(transaction, calls, NOTHING);
		transaction.complete(OK);
		assertThat(this.evaluator.remaining("failed")).isEqualTo(9);
	}

	@Test
	void resetFillsOnlyTheBucketOfTheRequest() {
		MatchedRule account = ending("account", Scope.of(Scope.USER), List.of(UNAUTHORIZED), List.of(OK_STATUS));
		this.limiter.acquire(PermitRequest.of("account").user("alice").cost(3));
		this.limiter.acquire(PermitRequest.of("account").user("bob").cost(3));
		RateLimitTransaction transaction = begin(MethodRules.NONE);
		transaction.continueAs(SimpleCaller.at("10.0.0.1").as("alice"));
		evaluate(transaction, List.of(account), Stage.ALL);
		transaction.complete(OK);
		assertThat(this.evaluator.remaining(PermitRequest.of("account").user("alice"))).isEqualTo(10);
		assertThat(this.evaluator.remaining(PermitRequest.of("account").user("bob"))).isEqualTo(7);
	}

	@Test
	void bucketOfAnAddressInsteadOfAUserIsNotReset() {
		MatchedRule account = ending("account", Scope.of(Scope.USER), List.of(UNAUTHORIZED), List.of(OK_STATUS));
		for (int status : new int[] { 401, 401, 200, 404 }) {
			RateLimitTransaction transaction = begin(MethodRules.NONE);
			transaction.continueAs(SimpleCaller.at("10.0.0.1"));
			evaluate(transaction, List.of(account), Stage.ALL);
			transaction.complete(RequestOutcome.answered(status));
		}
		BucketKey standIn = new BucketKey("account", "(ip)10.0.0.1");
		assertThat(this.store.peek(List.of(new Charge(standIn, TEN.standard(), 0))).decisions().get(0).remaining())
			.isEqualTo(8);
	}

	@Test
	void overflowBucketIsNotReset() {
		TestEvaluator full = TestEvaluators.of(TestEvaluators.memory(1), rule("account", Selection.ALL_REQUESTS,
				Scope.of(Scope.USER), List.of(UNAUTHORIZED), List.of(OK_STATUS)), TestRules.rule("other", TEN));
		RateLimiter limiter = full.limiter();
		limiter.acquire(PermitRequest.of("other").cost(10));
		limiter.acquire(PermitRequest.of("account").user("bob").cost(4));
		RateLimitTransaction transaction = full.begin(SimpleCaller.at("10.0.0.1").as("alice"));
		evaluate(transaction, List.of(new MatchedRule(Objects.requireNonNull(full.rule("account")), null)), Stage.ALL);
		transaction.complete(OK);
		assertThat(limiter.acquire(PermitRequest.of("account").user("carol")).decisions().get(0).decision().remaining())
			.as("exactly the consumed permits are refunded")
			.isEqualTo(5);
	}

	@Test
	void rejectionsOfConditionalChargesAreNotCached() {
		MatchedRule failed = ending("failed", Scope.of(), List.of(UNAUTHORIZED), List.of());
		MatchedRule reset = ending("reset", Scope.of(), List.of(), List.of(OK_STATUS));
		Verdict verdict = begin(MethodRules.NONE).evaluate(List.of(this.request, failed, reset), Stage.ALL);
		assertThat(verdict.decisions())
			.extracting((decision) -> ChargeDecision.of(decision).charge().options().cacheRejections())
			.containsExactly(true, false, false);
	}

	@Test
	void forwardToAHandlerIsChargedTheDifferenceToItsCost() {
		MethodRules costly = new MethodRules(
				List.of(new MatchedRule(
						this.evaluator.variant(TestRules.rule("request", TEN).cost("#cost"), List.of("cost")), null)),
				Map.of("cost", 0));
		RateLimitTransaction transaction = begin(MethodRules.NONE);
		evaluate(transaction, List.of(this.request), Stage.ALL);
		transaction.expect(costly);
		transaction.evaluateForward(List.of(this.request), Stage.ALL);
		call(transaction, costly, new Object[] { 5 });
		assertThat(this.evaluator.remaining("request")).isEqualTo(5);
	}

	@Test
	void ruleForCallsIsChargedForEachHandlerThatARequestIsForwardedTo() {
		MatchedRule calls = forCalls("calls", "1", List.of());
		MethodRules first = new MethodRules(List.of(calls), Map.of());
		MethodRules second = new MethodRules(List.of(calls), Map.of("x", 0));
		RateLimitTransaction transaction = begin(first);
		evaluate(transaction, List.of(), Stage.ALL);
		call(transaction, first, NOTHING);
		transaction.expect(second);
		transaction.evaluateForward(List.of(), Stage.ALL);
		call(transaction, second, new Object[] { 1 });
		assertThat(this.evaluator.remaining("calls")).isEqualTo(8);
		transaction.expect(first);
		call(transaction, first, NOTHING);
		assertThat(this.evaluator.remaining("calls")).as("charged again, although nothing was evaluated before")
			.isEqualTo(7);
	}

	@Test
	void handlerThatIsCalledAgainAfterARejectionIsChargedAgain() {
		MatchedRule calls = forCalls("calls", "1", List.of());
		MethodRules both = new MethodRules(List.of(this.byArgument, calls), Map.of("cost", 0));
		RateLimitTransaction transaction = begin(both);
		evaluate(transaction, List.of(), Stage.ALL);
		assertThat(call(transaction, both, new Object[] { 11 }).allowed()).isFalse();
		assertThat(this.evaluator.remaining("calls")).isEqualTo(10);
		assertThat(call(transaction, both, new Object[] { 1 }).allowed()).isTrue();
		assertThat(this.evaluator.remaining("calls")).isEqualTo(9);
	}

	@Test
	void allowedCallAfterACaughtRejectionIsTheOutcome() {
		MethodRules never = new MethodRules(List.of(forCalls("never", "11", List.of())), Map.of());
		RateLimitTransaction transaction = begin(MethodRules.NONE);
		evaluate(transaction, List.of(this.request), Stage.ALL);
		assertThat(call(transaction, never, NOTHING).allowed()).isFalse();
		assertThat(call(transaction, this.service, NOTHING).allowed()).isTrue();
		assertThat(transaction.verdict().outcome()).isEqualTo(Outcome.ALLOWED);
	}

	@Test
	void violationOfTheRequestIsPublishedEvenIfALaterCallIsRejected() {
		MethodRules never = new MethodRules(List.of(forCalls("never", "11", List.of())), Map.of());
		RateLimitTransaction transaction = begin(this.handler);
		evaluate(transaction, List.of(this.request), Stage.ALL);
		call(transaction, this.handler, new Object[] { 11 });
		call(transaction, never, NOTHING);
		assertThat(transaction.verdict().violated()).extracting((decision) -> decision.rule()).containsExactly("never");
		transaction.complete(RequestOutcome.answered(429));
		assertThat(this.published).singleElement()
			.satisfies((verdict) -> assertThat(verdict.violated()).extracting((decision) -> decision.rule())
				.containsExactly("argument"));
	}

	@Test
	void everyCallInALoopIsSettled() {
		MatchedRule failed = ending("failed", TestRules.CODE, Scope.of(), List.of(UNAUTHORIZED), List.of());
		RateLimitTransaction transaction = begin(MethodRules.NONE);
		for (int i = 0; i < 7; i++) {
			call(transaction, new MethodRules(List.of(failed), Map.of()), NOTHING);
		}
		assertThat(this.evaluator.remaining("failed")).isEqualTo(3);
		assertThat(transaction.verdict().decisions()).hasSize(1);
		transaction.complete(OK);
		assertThat(this.evaluator.remaining("failed")).isEqualTo(10);
	}

	private MatchedRule forCalls(String id, String cost, List<String> arguments) {
		return new MatchedRule(
				this.evaluator.add(TestRules.rule(id, TEN).selection(TestRules.CODE).cost(cost), arguments), null);
	}

	private MatchedRule ending(String id, Scope scope, List<OutcomeCondition> charge, List<OutcomeCondition> resetOn) {
		return ending(id, Selection.ALL_REQUESTS, scope, charge, resetOn);
	}

	private MatchedRule ending(String id, Selection selection, Scope scope, List<OutcomeCondition> charge,
			List<OutcomeCondition> resetOn) {
		return new MatchedRule(this.evaluator.add(rule(id, selection, scope, charge, resetOn), List.of()), null);
	}

	private static Rule rule(String id, Selection selection, Scope scope, List<OutcomeCondition> charge,
			List<OutcomeCondition> resetOn) {
		return TestRules.rule(id, TEN)
			.selection(selection)
			.scope(scope)
			.options((options) -> options.with(new ChargePolicy(charge, resetOn)));
	}

	private RateLimitTransaction begin(MethodRules handler) {
		RateLimitTransaction transaction = this.evaluator.begin(Caller.UNKNOWN);
		transaction.expect(handler);
		return transaction;
	}

	/** Evaluates as the filter does. */
	private static Verdict evaluate(RateLimitTransaction transaction, List<MatchedRule> matched, Stage stage) {
		Verdict verdict = transaction.evaluate(matched, stage);
		if (!verdict.allowed()) {
			transaction.rollback();
		}
		return verdict;
	}

	/** Evaluates as the interceptor of a method does. */
	private static Verdict call(RateLimitTransaction transaction, MethodRules rules, Object[] arguments) {
		boolean ofHandler = transaction.beginHandlerCall(rules);
		Verdict verdict = ofHandler ? transaction.evaluateHandlerCall(rules, arguments)
				: transaction.evaluateCall(rules, arguments);
		if (verdict.allowed()) {
			transaction.commit();
		}
		else if (ofHandler) {
			transaction.rollback();
		}
		return verdict;
	}

}
