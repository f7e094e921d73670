package io.tierlimit.evaluation;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;

import io.tierlimit.PermitRequest;
import io.tierlimit.RateLimitExceededException;
import io.tierlimit.RateLimiter;
import io.tierlimit.RuleDecision;
import io.tierlimit.RuleOutcome;
import io.tierlimit.UndecidedRule;
import io.tierlimit.Verdict;
import io.tierlimit.Verdict.Outcome;
import io.tierlimit.limit.Decision;
import io.tierlimit.limit.Overrun;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.Receipt;
import io.tierlimit.limit.StoreFailurePolicy;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.RuleOptions;
import io.tierlimit.rule.TestRules;
import io.tierlimit.spi.Caller;
import io.tierlimit.store.AcquireResult;
import io.tierlimit.store.AcquireResult.Source;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.Charge;
import io.tierlimit.store.ChargeOptions;
import io.tierlimit.store.DelegatingBucketStore;
import io.tierlimit.store.Settlement;
import io.tierlimit.store.StoreFailureFlag;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests the verdicts for the results of a store that is not always available.
 */
@ExtendWith(OutputCaptureExtension.class)
class AcquireResultTests {

	private static final Decision ALLOWED = new Decision(true, 1, 0, 0, 0);

	private static final Decision REJECTED = new Decision(false, 0, 1, 1, 1);

	private static final Decision NEVER = new Decision(false, 0, Decision.NEVER, 1, 1);

	private final RecordingStore store = new RecordingStore();

	private final TestEvaluator evaluator = TestEvaluators.of(this.store, rule("a", StoreFailurePolicy.DENY),
			rule("b", null));

	private final RateLimiter limiter = this.evaluator.limiter();

	@Test
	void unavailableStoreMakesRequestsUnavailable() {
		this.store.result = new AcquireResult(false, Source.NONE, Arrays.asList(null, null), List.of());
		Verdict verdict = this.limiter.tryAcquire(PermitRequest.of("a"), PermitRequest.of("b"));
		assertThat(verdict.outcome()).isEqualTo(Outcome.UNAVAILABLE);
		assertThat(verdict.undecided()).singleElement().satisfies((undecided) -> {
			assertThat(undecided.rule()).as("only the rule that rejects the request").isEqualTo("a");
			assertThat(undecided.outcome()).isEqualTo(RuleOutcome.STORE_DENIED);
		});
		assertThatExceptionOfType(RateLimitExceededException.class)
			.isThrownBy(() -> this.limiter.acquire(PermitRequest.of("a"), PermitRequest.of("b")))
			.withMessage("The store of the limits cannot be reached");
	}

	@Test
	void undecidedBucketHasNoDecision() {
		this.store.result = new AcquireResult(true, Source.FALLBACK, Arrays.asList(null, ALLOWED), List.of());
		Verdict verdict = this.limiter.tryAcquire(PermitRequest.of("a"), PermitRequest.of("b"));
		assertThat(verdict.allowed()).isTrue();
		assertThat(verdict.decisions()).singleElement().satisfies((decision) -> {
			assertThat(decision.rule()).isEqualTo("b");
			assertThat(ChargeDecision.of(decision).charge().key().rule()).isEqualTo("charged b");
			assertThat(decision.local()).isTrue();
			assertThat(decision.outcome()).isEqualTo(RuleOutcome.STORE_LOCAL);
		});
		assertThat(verdict.undecided()).singleElement().satisfies((undecided) -> {
			assertThat(undecided.rule()).isEqualTo("a");
			assertThat(undecided.outcome()).isEqualTo(RuleOutcome.STORE_ALLOWED);
		});
	}

	@Test
	void rejectionByTheLocalStoreRejectsTheRequest() {
		this.store.result = new AcquireResult(false, Source.FALLBACK, Arrays.asList(null, REJECTED), List.of());
		assertThat(this.limiter.tryAcquire(PermitRequest.of("a"), PermitRequest.of("b")).decisions())
			.extracting(RuleDecision::outcome)
			.containsExactly(RuleOutcome.REJECTED);
	}

	/** The capacity of a share, which is the whole capacity again after the outage. */
	@ParameterizedTest
	@EnumSource(names = { "STORE", "FALLBACK" })
	void costAboveTheCapacityIsAWarningUnlessTheStoreIsUnavailable(Source source, CapturedOutput output) {
		this.store.result = new AcquireResult(false, source, List.of(NEVER), List.of());
		this.limiter.tryAcquire(PermitRequest.of("b"));
		if (source == Source.FALLBACK) {
			assertThat(output).doesNotContain("can never be allowed");
		}
		else {
			assertThat(output).contains("Rule 'b': a request whose cost exceeds", "can never be allowed");
		}
	}

	@Test
	void ruleWithoutADecisionOfAHealthyStoreIsNotUndecided() {
		this.store.result = new AcquireResult(false, Arrays.asList(null, REJECTED), List.of());
		Verdict verdict = this.limiter.tryAcquire(PermitRequest.of("a"), PermitRequest.of("b"));
		assertThat(verdict.undecided()).isEmpty();
		assertThat(verdict.violated()).singleElement().matches((decision) -> !decision.local());
	}

	@Test
	void verdictIsRefundedToTheStoreThatChargedIt() {
		this.store.result = new AcquireResult(true, Source.FALLBACK, Arrays.asList(null, ALLOWED), List.of());
		this.limiter.refund(this.limiter.tryAcquire(PermitRequest.of("a"), PermitRequest.of("b")));
		assertThat(this.store.refunded).extracting((charge) -> charge.key().rule()).containsExactly("charged b");
		this.store.refunded.clear();
		this.store.result = new AcquireResult(false, List.of(ALLOWED, REJECTED), List.of());
		this.limiter.refund(this.limiter.tryAcquire(PermitRequest.of("a"), PermitRequest.of("b")));
		assertThat(this.store.refunded).isEmpty();
	}

	@Test
	void stagesOfARequestShareTheirStoreFailureFlag() {
		MatchedRule a = new MatchedRule(this.evaluator.rules().get(0), null);
		MatchedRule b = new MatchedRule(this.evaluator.rules().get(1), null);
		RateLimitTransaction transaction = this.evaluator.begin(Caller.UNKNOWN);
		this.store.result = new AcquireResult(true, List.of(ALLOWED), List.of());
		transaction.evaluate(List.of(a), Stage.ALL);
		this.store.result = new AcquireResult(false, List.of(REJECTED), List.of());
		transaction.evaluate(List.of(b), Stage.ALL);
		transaction.rollback();
		assertThat(this.store.failureFlag).hasSize(3).containsOnly(this.store.failureFlag.get(0));
		assertThat(this.store.refunded).hasSize(1);
	}

	@Test
	void ruleThatAllowsWithoutTheStoreIsChargedOnceForEachRequest() {
		List<MatchedRule> a = List.of(new MatchedRule(this.evaluator.rules().get(0), null));
		RateLimitTransaction transaction = this.evaluator.begin(Caller.UNKNOWN);
		this.store.result = new AcquireResult(true, Source.FALLBACK, Collections.singletonList(null), List.of());
		transaction.evaluate(a, Stage.ALL);
		transaction.evaluateCall(new MethodRules(a, Map.of()), new Object[0]);
		transaction.evaluateForward(a, Stage.ALL);
		assertThat(this.store.requested).hasSize(1);
	}

	@Test
	void laterVerdictReplacesAnUndecidedRule() {
		CompiledRule rule = this.evaluator.rules().get(0);
		RateLimitTransaction transaction = this.evaluator.begin(Caller.UNKNOWN);
		this.store.result = new AcquireResult(true, Source.FALLBACK, Collections.singletonList(null), List.of());
		transaction.evaluate(List.of(new MatchedRule(rule, null)), Stage.ALL);
		Verdict stopped = new Verdict(Outcome.UNAVAILABLE, List.of(),
				List.of(new UndecidedCharge(new RuleCharge(new MatchedRule(rule, null), null, new BucketKey("a", ""),
						rule.rule().limits().standard(), 1, ChargeOptions.ENFORCED, ChargeOptions.ENFORCED, null),
						true)));
		assertThat(CombinedVerdict.of(transaction.verdict(), stopped).undecided()).extracting(UndecidedRule::outcome)
			.containsExactly(RuleOutcome.STORE_DENIED);
	}

	@Test
	void chargesHaveTheStoreFailurePolicyOfTheirRule() {
		this.store.result = new AcquireResult(true, List.of(ALLOWED, ALLOWED), List.of());
		this.limiter.acquire(PermitRequest.of("a"), PermitRequest.of("b"));
		assertThat(this.store.requested).extracting((charge) -> charge.options().onStoreFailure())
			.containsExactly(StoreFailurePolicy.DENY, null);
	}

	private static Rule rule(String id, @Nullable StoreFailurePolicy onStoreFailure) {
		return TestRules.rule(id, new TokenBucket(Rate.parse("10/d")))
			.options((options) -> new RuleOptions(options.mode(), options.visibility(), onStoreFailure,
					options.values()));
	}

	/**
	 * Returns a given result, with charges on other keys.
	 */
	private static final class RecordingStore extends DelegatingBucketStore {

		private AcquireResult result = new AcquireResult(true, List.of(), List.of());

		private final List<StoreFailureFlag> failureFlag = new ArrayList<>();

		private final List<Charge> requested = new ArrayList<>();

		private final List<Charge> refunded = new ArrayList<>();

		RecordingStore() {
			super(TestEvaluators.memory(1));
		}

		@Override
		public AcquireResult acquire(List<Charge> charges, StoreFailureFlag consumed) {
			this.failureFlag.add(consumed);
			this.requested.addAll(charges);
			List<Charge> stopping = charges.stream()
				.filter((charge) -> charge.options().onStoreFailure() == StoreFailurePolicy.DENY)
				.toList();
			if (this.result.source() == Source.NONE) {
				return new AcquireResult(false, Source.NONE, this.result.decisions(), stopping);
			}
			List<Charge> charged = charges.stream()
				.map((charge) -> new Charge(new BucketKey("charged " + charge.key().rule(), charge.key().key()),
						charge.limit(), charge.cost(), charge.options(), new Receipt(0, charge.cost())))
				.toList();
			return new AcquireResult(this.result.admitted(), this.result.source(), this.result.decisions(), charged);
		}

		@Override
		public List<Overrun> settle(List<Settlement> settlements, StoreFailureFlag consumed) {
			this.failureFlag.add(consumed);
			settlements.forEach((settlement) -> this.refunded.add(settlement.charge()));
			return List.of();
		}

	}

}
