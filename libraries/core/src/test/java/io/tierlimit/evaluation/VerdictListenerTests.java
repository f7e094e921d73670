package io.tierlimit.evaluation;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import io.tierlimit.PermitRequest;
import io.tierlimit.RateLimiter;
import io.tierlimit.RuleDecision;
import io.tierlimit.RuleOutcome;
import io.tierlimit.Verdict;
import io.tierlimit.Verdict.Outcome;
import io.tierlimit.key.SimpleCaller;
import io.tierlimit.option.RuleOption;
import io.tierlimit.rule.PlanLimit;
import io.tierlimit.rule.RequestOutcome;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.RuleLimits;
import io.tierlimit.rule.RuleSet;
import io.tierlimit.rule.TestRules;
import io.tierlimit.spi.Caller;
import io.tierlimit.spi.VerdictListener;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests which verdicts are published, and how often.
 */
@ExtendWith(OutputCaptureExtension.class)
class VerdictListenerTests {

	private static final Object[] NOTHING = {};

	private final List<Verdict> published = new ArrayList<>();

	private final List<Caller> callers = new ArrayList<>();

	private final List<VerdictListener> listeners = new ArrayList<>();

	private int observed;

	private EvaluationObserver observer = EvaluationObserver.NONE;

	private final TestEvaluator evaluator = TestEvaluators.of(TestEvaluators.memory(100),
			new VerdictPublisher((evaluation) -> {
				this.observed++;
				return this.observer.observe(evaluation);
			}, () -> this.listeners), WaitQueue.NONE, TestRules.rule("first", 2), TestRules.rule("second", 1), called(),
			plans());

	private final RateLimiter limiter = this.evaluator.limiter();

	private final Caller ada = SimpleCaller.at("192.0.2.1").as("ada");

	VerdictListenerTests() {
		this.listeners.add((verdict, caller) -> {
			this.published.add(verdict);
			this.callers.add(caller);
		});
	}

	@Test
	void requestIsPublishedOnceWithAllItsStages() {
		RateLimitTransaction transaction = begin(MethodRules.NONE);
		transaction.evaluate(this.evaluator.matched("first"), Stage.BEFORE_AUTHENTICATION);
		transaction.evaluate(this.evaluator.matched("second"), Stage.AFTER_AUTHENTICATION);
		assertThat(this.published).isEmpty();
		transaction.complete(RequestOutcome.answered(200));
		transaction.complete(RequestOutcome.answered(200));
		assertThat(this.published).singleElement()
			.satisfies((verdict) -> assertThat(rules(verdict)).containsExactly("first", "second"));
		assertThat(this.callers).containsExactly(this.ada);
		assertThat(this.observed).isEqualTo(2);
	}

	@Test
	void rejectionAtALaterStageIsPublishedWithTheEarlierStages() {
		this.limiter.acquire(PermitRequest.of("second"));
		this.published.clear();
		RateLimitTransaction transaction = begin(MethodRules.NONE);
		transaction.evaluate(this.evaluator.matched("first"), Stage.BEFORE_AUTHENTICATION);
		transaction.evaluate(this.evaluator.matched("second"), Stage.AFTER_AUTHENTICATION);
		transaction.complete(RequestOutcome.answered(200));
		assertThat(this.published).singleElement().satisfies((verdict) -> {
			assertThat(verdict.outcome()).isEqualTo(Outcome.REJECTED);
			assertThat(verdict.decisions()).extracting(RuleDecision::outcome)
				.containsExactly(RuleOutcome.ALLOWED, RuleOutcome.REJECTED);
		});
	}

	@Test
	void everyOtherCallIsPublishedSeparately() {
		MethodRules service = new MethodRules(this.evaluator.matched("called"), Map.of());
		RateLimitTransaction transaction = begin(MethodRules.NONE);
		transaction.evaluate(this.evaluator.matched("first"), Stage.ALL);
		for (int i = 0; i < 2; i++) {
			transaction.publishCall(transaction.evaluateCall(service, NOTHING));
		}
		transaction.complete(RequestOutcome.answered(200));
		assertThat(this.published).extracting(VerdictListenerTests::rules)
			.containsExactly(List.of("called"), List.of("called"), List.of("first"));
	}

	@Test
	void rulesOfTheHandlerArePublishedWithItsRequest() {
		MethodRules handler = new MethodRules(this.evaluator.matched("called"), Map.of());
		RateLimitTransaction transaction = begin(handler);
		transaction.evaluate(this.evaluator.matched("first"), Stage.ALL);
		assertThat(transaction.beginHandlerCall(handler)).isTrue();
		transaction.evaluateHandlerCall(handler, NOTHING);
		transaction.complete(RequestOutcome.answered(200));
		assertThat(this.published).extracting(VerdictListenerTests::rules).containsExactly(List.of("first", "called"));
	}

	@Test
	void requestToWhichNoRuleAppliesIsNotPublished() {
		begin(MethodRules.NONE).complete(RequestOutcome.answered(200));
		assertThat(this.published).isEmpty();
	}

	@Test
	void permitRequestIsPublishedAndPeekIsNot() {
		this.limiter.peek(PermitRequest.of("first"));
		assertThat(this.published).isEmpty();
		this.limiter.tryAcquire(PermitRequest.of("first"), PermitRequest.of("second"));
		assertThat(this.published).extracting(VerdictListenerTests::rules).containsExactly(List.of("first", "second"));
		assertThat(this.callers).containsExactly(Caller.UNKNOWN);
	}

	@Test
	void planIsPublishedIfTheRuleDistinguishesPlans() {
		this.limiter.acquire(PermitRequest.of("plans").plan("pro"), PermitRequest.of("first").plan("pro"));
		assertThat(this.published.get(0).decisions()).extracting(RuleDecision::plan).containsExactly("pro", null);
	}

	@ParameterizedTest
	@MethodSource("failures")
	void failingListenerChangesNoVerdictAndIsLoggedOnce(Throwable failure, CapturedOutput output) {
		this.listeners.add(0, (verdict, caller) -> VerdictListenerTests.<RuntimeException>fail(failure));
		this.limiter.acquire(PermitRequest.of("first"));
		this.limiter.acquire(PermitRequest.of("first"));
		assertThat(this.published).hasSize(2);
		assertThat(output).containsOnlyOnce("failed when it was notified of a verdict");
	}

	static Stream<Throwable> failures() {
		return Stream.of(new IllegalStateException("audit is down"), new AssertionError("a test double"),
				new IOException("no disk"));
	}

	@Test
	void listenersThatCannotBeCreatedChangeNoVerdict(CapturedOutput output) {
		TestEvaluator alone = TestEvaluators.of(TestEvaluators.memory(100),
				new VerdictPublisher(EvaluationObserver.NONE, () -> {
					throw new IllegalStateException("no such bean");
				}), WaitQueue.NONE, TestRules.rule("first", 2));
		assertThat(alone.limiter().tryAcquire(PermitRequest.of("first")).allowed()).isTrue();
		assertThat(alone.limiter().tryAcquire(PermitRequest.of("first")).allowed()).isTrue();
		assertThat(output).containsOnlyOnce("The VerdictListener beans could not be created");
	}

	@Test
	void failingOptionChangesNoVerdictAndIsLoggedOnceForItsRule(CapturedOutput output) {
		RuleOption failing = new RuleOption() {
			@Override
			public void decided(List<RuleDecision> decisions, int index) {
				throw new IllegalStateException("of the option");
			}
		};
		ActiveRules rules = new ActiveRules(
				new RuleCompiler(Map.of(), TestEvaluators.PLAIN_KEYS, List.of((set) -> (rule, key) -> failing)),
				new RuleSet(List.of(TestRules.rule("first", 2))));
		RateLimiter alone = new EvaluatingRateLimiter(rules,
				new RateLimitEvaluator(TestEvaluators.memory(100),
						new VerdictPublisher(EvaluationObserver.NONE, () -> this.listeners), WaitQueue.NONE),
				() -> null);
		alone.acquire(PermitRequest.of("first"));
		alone.acquire(PermitRequest.of("first"));
		assertThat(this.published).hasSize(2);
		assertThat(output).containsOnlyOnce("Rule 'first' failed when it was notified of a verdict")
			.containsOnlyOnce("java.lang.IllegalStateException: of the option");
	}

	@ParameterizedTest
	@MethodSource("failures")
	void failingObserverChangesNoVerdictAndIsLoggedOnce(Throwable failure, CapturedOutput output) {
		this.observer = (evaluation) -> VerdictListenerTests.<RuntimeException>fail(failure);
		assertTwoOfThreeAreAllowed();
		assertThat(output).containsOnlyOnce("failed to observe an evaluation").containsOnlyOnce(failure.toString());
	}

	@Test
	void observerThatFailsAfterTheEvaluationChangesNoVerdict() {
		this.observer = (evaluation) -> {
			Verdict unused = evaluation.get();
			throw new IllegalStateException("tracing is down");
		};
		assertTwoOfThreeAreAllowed();
	}

	@Test
	void observerCanNeitherEvaluateTwiceNorReplaceAVerdict() {
		this.observer = (evaluation) -> {
			assertThat(evaluation.get()).isSameAs(evaluation.get());
			return Verdict.UNLIMITED;
		};
		assertTwoOfThreeAreAllowed();
	}

	@Test
	void failureOfTheEvaluationIsNotLoggedAsOneOfTheObserver(CapturedOutput output) {
		this.observer = (evaluation) -> {
			try {
				return evaluation.get();
			}
			catch (IllegalStateException ex) {
				return Verdict.UNLIMITED;
			}
		};
		VerdictPublisher publisher = new VerdictPublisher(this.observer, List::of);
		AtomicInteger evaluations = new AtomicInteger();
		assertThatIllegalStateException().isThrownBy(() -> publisher.observe(() -> {
			evaluations.incrementAndGet();
			throw new IllegalStateException("of the evaluation");
		})).withMessage("of the evaluation");
		assertThat(evaluations).hasValue(1);
		assertThat(output).doesNotContain("failed to observe");
	}

	private void assertTwoOfThreeAreAllowed() {
		assertThat(this.limiter.tryAcquire(PermitRequest.of("first")).outcome()).isEqualTo(Outcome.ALLOWED);
		assertThat(this.limiter.tryAcquire(PermitRequest.of("first")).outcome()).isEqualTo(Outcome.ALLOWED);
		assertThat(this.limiter.tryAcquire(PermitRequest.of("first")).outcome()).isEqualTo(Outcome.REJECTED);
	}

	/**
	 * Throws a checked exception without declaring it, as other languages of the JVM can.
	 */
	@SuppressWarnings("unchecked")
	private static <E extends Throwable> Verdict fail(Throwable failure) throws E {
		throw (E) failure;
	}

	private RateLimitTransaction begin(MethodRules handler) {
		RateLimitTransaction transaction = this.evaluator.begin(this.ada);
		transaction.expect(handler);
		return transaction;
	}

	private static List<String> rules(Verdict verdict) {
		return verdict.decisions().stream().map((decision) -> decision.rule()).toList();
	}

	private static Rule called() {
		return TestRules.rule("called", 3).selection(TestRules.CODE);
	}

	private static Rule plans() {
		return TestRules.rule("plans",
				new RuleLimits(TestRules.bucket(1), Map.of("pro", new PlanLimit(TestRules.bucket(10)))));
	}

}
