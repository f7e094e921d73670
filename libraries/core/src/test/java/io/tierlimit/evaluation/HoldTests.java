package io.tierlimit.evaluation;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.stream.Stream;

import io.tierlimit.Hold;
import io.tierlimit.PermitRequest;
import io.tierlimit.RateLimitExceededException;
import io.tierlimit.RateLimiter;
import io.tierlimit.RuleMode;
import io.tierlimit.limit.Concurrency;
import io.tierlimit.option.candidate.CandidateLimits;
import io.tierlimit.rule.PlanLimit;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.RuleLimits;
import io.tierlimit.rule.RuleSet;
import io.tierlimit.rule.TestRules;
import io.tierlimit.store.Crowd;
import io.tierlimit.store.SimulatedTicker;
import io.tierlimit.store.memory.InMemoryBucketStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNoException;

class HoldTests {

	private static final Concurrency TWO = Concurrency.of(2, Duration.ofMinutes(10));

	private static final PermitRequest EXPORT = PermitRequest.of("exports");

	private static final PermitRequest CALL = PermitRequest.of("calls");

	private final SimulatedTicker ticker = new SimulatedTicker();

	private final TestEvaluator evaluator = TestEvaluators.of(new InMemoryBucketStore(this.ticker, 100),
			TestRules.rule("exports", new RuleLimits(TWO, Map.of("partner", PlanLimit.UNLIMITED))),
			TestRules.rule("calls", 10),
			TestRules.rule("shadow", TWO).options((options) -> options.mode(RuleMode.SHADOW)),
			TestRules.rule("compared", 10)
				.options((options) -> options.with(new CandidateLimits(new RuleLimits(TWO)))));

	private final RateLimiter limiter = this.evaluator.limiter();

	@Test
	void permitsAreInUseUntilTheHoldIsClosed() {
		Hold first = this.limiter.hold(EXPORT);
		Hold second = this.limiter.hold(EXPORT);
		assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(() -> this.limiter.hold(EXPORT))
			.satisfies((ex) -> assertThat(ex.retryAfter()).isNull());
		assertThat(inUse("exports")).isEqualTo(2);
		first.close();
		assertThat(remaining(EXPORT)).isOne();
		second.close();
		assertThat(remaining(EXPORT)).isEqualTo(2);
		assertThat(inUse("exports")).isZero();
	}

	@Test
	void closingReleasesPermitsInUseAndKeepsConsumedPermits() {
		try (Hold hold = this.limiter.hold(EXPORT, CALL.cost(3))) {
			assertThat(hold.verdict().decisions()).hasSize(2);
			assertThat(remaining(CALL)).isEqualTo(7);
		}
		assertThat(remaining(EXPORT)).isEqualTo(2);
		assertThat(remaining(CALL)).isEqualTo(7);
	}

	@Test
	void rejectionAcquiresNothing() {
		assertThatExceptionOfType(RateLimitExceededException.class)
			.isThrownBy(() -> this.limiter.hold(EXPORT, CALL.cost(11)));
		assertThat(remaining(EXPORT)).isEqualTo(2);
		this.limiter.hold(EXPORT.cost(2));
		assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(() -> this.limiter.hold(EXPORT, CALL));
		assertThat(remaining(CALL)).isEqualTo(10);
		assertThat(inUse("exports")).isEqualTo(2);
	}

	@Test
	void allThreadsTogetherReleaseOnce() throws Exception {
		Hold hold = this.limiter.hold(EXPORT);
		this.limiter.hold(EXPORT);
		Crowd.run(8, (member) -> {
			hold.close();
			return member;
		});
		assertThat(remaining(EXPORT)).isOne();
		assertThat(inUse("exports")).isOne();
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void refundOfTheVerdictRefundsConsumedPermitsAndReleasesOnce(boolean beforeTheClose) {
		this.limiter.hold(EXPORT);
		Hold hold = this.limiter.hold(EXPORT, CALL);
		if (beforeTheClose) {
			this.limiter.refund(hold.verdict());
			hold.close();
		}
		else {
			hold.close();
			this.limiter.refund(hold.verdict());
		}
		assertThat(remaining(CALL)).isEqualTo(10);
		assertThat(remaining(EXPORT)).isOne();
		assertThat(inUse("exports")).isOne();
	}

	@ParameterizedTest
	@MethodSource("consuming")
	void operationThatConsumesPermitsRequiresAHold(BiConsumer<RateLimiter, PermitRequest[]> operation) {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> operation.accept(this.limiter, new PermitRequest[] { CALL, EXPORT }))
			.withMessageContaining("'exports'")
			.withMessageContaining("RateLimiter.hold");
		assertThat(remaining(CALL)).isEqualTo(10);
		assertThat(remaining(EXPORT)).isEqualTo(2);
	}

	static Stream<BiConsumer<RateLimiter, PermitRequest[]>> consuming() {
		return Stream.of(RateLimiter::acquire, RateLimiter::tryAcquire, RateLimiter::await, RateLimiter::reserve,
				RateLimiter::refund, (limiter, requests) -> limiter.syncRemaining(requests[1], 0, Duration.ZERO));
	}

	@Test
	void resetEndsAllHolders() {
		Hold hold = this.limiter.hold(EXPORT.cost(2));
		assertThat(this.limiter.reset(EXPORT)).isTrue();
		assertThat(remaining(EXPORT)).isEqualTo(2);
		this.limiter.hold(EXPORT.cost(2));
		assertThat(this.limiter.resetAll("exports")).isTrue();
		this.limiter.hold(EXPORT);
		hold.close();
		assertThat(remaining(EXPORT)).as("of another holder").isOne();
	}

	@Test
	void unlimitedPlanHoldsNothing() {
		Hold hold = this.limiter.hold(EXPORT.plan("partner").cost(9));
		assertThat(hold.verdict().decisions()).isEmpty();
		hold.close();
		assertThat(remaining(EXPORT)).isEqualTo(2);
	}

	@Test
	void disabledOrRemovedRuleAllowsAndHoldsNothing() {
		Rule calls = TestRules.rule("calls", 10);
		this.evaluator.replace(new RuleSet(List.of(calls), Map.of(), Set.of("exports"), List.of(), RuleMode.ENFORCE));
		assertThatNoException().isThrownBy(() -> this.limiter.hold(EXPORT.cost(9)).close());
		assertThat(this.limiter.hold(EXPORT).verdict().decisions()).isEmpty();
	}

	@Test
	void permitsAreReleasedAfterTheRuleWasRemoved() {
		Hold first = this.limiter.hold(EXPORT);
		Hold second = this.limiter.hold(EXPORT);
		this.evaluator.replace(TestRules.rule("calls", 10));
		first.close();
		this.evaluator.replace(TestRules.rule("exports", new RuleLimits(TWO, Map.of("partner", PlanLimit.UNLIMITED))));
		assertThat(remaining(EXPORT)).isOne();
		assertThat(inUse("exports")).isOne();
		second.close();
		assertThat(remaining(EXPORT)).isEqualTo(2);
		assertThat(inUse("exports")).isZero();
	}

	@Test
	void shadowRuleRejectsNothingAndReleasesOnlyItsOwnPermits() {
		PermitRequest shadow = PermitRequest.of("shadow");
		Hold first = this.limiter.hold(shadow.cost(2));
		this.limiter.hold(shadow).close();
		assertThat(remaining(shadow)).isZero();
		first.close();
		assertThat(remaining(shadow)).isEqualTo(2);
	}

	@Test
	void codeThatConsumesPermitsHoldsNoPermitsOfACandidate() {
		this.limiter.acquire(PermitRequest.of("compared"));
		assertThat(inUse("compared")).isZero();
	}

	@Test
	void disabledLimiterHoldsNothing() {
		try (Hold hold = new DisabledRateLimiter().hold(PermitRequest.of("unknown"))) {
			assertThat(hold.verdict().allowed()).isTrue();
		}
	}

	private long remaining(PermitRequest bucket) {
		return this.evaluator.remaining(bucket);
	}

	private double inUse(String rule) {
		CompiledRule compiled = this.evaluator.rule(rule);
		return Stream.concat(Stream.of(compiled), compiled.derived().stream())
			.flatMap((each) -> each.options().meters().stream())
			.filter((meter) -> meter.name().equals("tierlimit.permits.in.use"))
			.mapToDouble((meter) -> meter.value().getAsDouble())
			.sum();
	}

}
