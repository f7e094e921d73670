package io.tierlimit.evaluation;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.tierlimit.MissingKeyPolicy;
import io.tierlimit.PermitRequest;
import io.tierlimit.RateLimitExceededException;
import io.tierlimit.RateLimiter;
import io.tierlimit.RuleDecision;
import io.tierlimit.RuleMode;
import io.tierlimit.Verdict;
import io.tierlimit.key.SimpleCaller;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.rule.PlanLimit;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.RuleLimits;
import io.tierlimit.rule.Scope;
import io.tierlimit.rule.TestRules;
import io.tierlimit.store.SimulatedTicker;
import io.tierlimit.store.memory.InMemoryBucketStore;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class RateLimiterTests {

	private static final Rule GLOBAL = rule("global", Scope.of(), new RuleLimits(bucket(10)));

	private static final Rule USER = rule("user", Scope.of("user"),
			new RuleLimits(bucket(2), Map.of("pro", new PlanLimit(bucket(5)), "max", PlanLimit.UNLIMITED)));

	private static final Rule COMPOSITE = rule("composite",
			new Scope(List.of("user", "plan", "endpoint"), "header('X')", MissingKeyPolicy.IP),
			new RuleLimits(bucket(10)));

	private static final Rule SHADOW = TestRules.rule("shadow", bucket(1))
		.options((options) -> options.mode(RuleMode.SHADOW));

	private final SimulatedTicker ticker = new SimulatedTicker();

	private final TestEvaluator evaluator = TestEvaluators.of(new InMemoryBucketStore(this.ticker, 100), GLOBAL, USER,
			COMPOSITE, SHADOW);

	private final RateLimiter limiter = this.evaluator.limiter();

	@Test
	void rejectionThrowsWithTheVerdict() {
		this.limiter.acquire(PermitRequest.of("user").user("alice").cost(2));
		assertThatExceptionOfType(RateLimitExceededException.class)
			.isThrownBy(() -> this.limiter.acquire(PermitRequest.of("user").user("alice")))
			.withMessage("Over the limit of 'user' (retry after PT1H)")
			.satisfies(
					(ex) -> assertThat(ex.verdict()).extracting(Verdict::outcome).isEqualTo(Verdict.Outcome.REJECTED));
		assertThatExceptionOfType(RateLimitExceededException.class)
			.isThrownBy(() -> this.limiter.acquire(PermitRequest.of("user").user("bob").cost(3)))
			.withMessage("Over the limit of 'user' (can never be allowed)");
	}

	@Test
	void severalPermitRequestsAreAcquiredAllOrNothing() {
		PermitRequest[] claims = { PermitRequest.of("global").cost(3), PermitRequest.of("user").user("alice") };
		assertThat(this.limiter.tryAcquire(claims).allowed()).isTrue();
		assertThat(this.limiter.tryAcquire(claims).allowed()).isTrue();
		assertThat(this.limiter.tryAcquire(claims).violated()).singleElement()
			.satisfies((decision) -> assertThat(decision.rule()).isEqualTo(USER.id()));
		assertThat(remaining(PermitRequest.of("global"))).isEqualTo(4);
	}

	@Test
	void bucketsAreTheBucketsOfTheFilter() {
		SimpleCaller alice = SimpleCaller.at("::1")
			.as("alice")
			.on("pro")
			.to("GET", "/a|b")
			.sending(Map.of("X", "(x"), Map.of());
		this.evaluator.evaluate(alice);
		assertThat(remaining(PermitRequest.of("global"))).isEqualTo(9);
		assertThat(remaining(PermitRequest.of("user").user("alice").plan("pro"))).isEqualTo(4);
		assertThat(remaining(PermitRequest.of("user").user("alice"))).isEqualTo(2);
		assertThat(remaining(
				PermitRequest.of("composite").user("alice").part("key", "(x").endpoint("GET /a|b").plan("pro")))
			.isEqualTo(9);
	}

	@Test
	void peekConsumesNothingAndReturnsTheVerdict() {
		assertThat(this.limiter.peek(PermitRequest.of("user").user("alice").cost(2)).allowed()).isTrue();
		assertThat(this.limiter.peek(PermitRequest.of("user").user("alice").cost(3)).allowed()).isFalse();
		assertThat(remaining(PermitRequest.of("user").user("alice"))).isEqualTo(2);
	}

	@Test
	void shadowRuleRejectsNoCode() {
		this.limiter.acquire(PermitRequest.of("shadow"));
		assertThat(this.limiter.acquire(PermitRequest.of("shadow")).allowed()).isTrue();
		assertThat(this.limiter.peek(PermitRequest.of("shadow")).allowed()).isTrue();
	}

	@Test
	void refundRefundsAndResetFills() {
		PermitRequest request = PermitRequest.of("global").cost(4);
		this.limiter.acquire(request);
		this.limiter.acquire(request);
		this.limiter.refund(request);
		assertThat(remaining(request)).isEqualTo(6);
		this.limiter.reset(request);
		assertThat(remaining(request)).isEqualTo(10);
	}

	@Test
	void verdictThatHasConsumedNothingRefundsNothing() {
		PermitRequest request = PermitRequest.of("global");
		this.limiter.acquire(request.cost(5));
		this.limiter.refund(this.limiter.peek(request.cost(4)));
		assertThat(remaining(request)).isEqualTo(5);
	}

	@Test
	void unknownRuleAndWrongKeyPartsAreReported() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.limiter.tryAcquire(PermitRequest.of("unknown")))
			.withMessage("Rule 'unknown' is not one of [global, user, composite, shadow]");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> this.limiter.tryAcquire(PermitRequest.of("composite").user("alice")))
			.withMessage("The key of rule 'composite' has the parts [endpoint, key, user], but the request has [user]");
		assertThatIllegalArgumentException().isThrownBy(() -> PermitRequest.of("global").cost(-1));
	}

	@Test
	void partThatTheRuleDoesNotHaveIsReported() {
		for (PermitRequest request : List.of(PermitRequest.of("user").user("alice").ip("192.0.2.1"),
				PermitRequest.of("user").part("tenant", "acme"), PermitRequest.of("user").part("plan", "pro"),
				PermitRequest.of("user").part("User", "alice"), PermitRequest.of("user"))) {
			assertThatIllegalArgumentException().as(request.toString())
				.isThrownBy(() -> this.limiter.tryAcquire(request))
				.withMessage(
						"The key of rule 'user' has the parts [user], but the request has " + request.parts().keySet());
		}
	}

	@Test
	void laterVerdictOfARequestAddsToTheEarlier() {
		RateLimitTransaction transaction = this.evaluator.begin(SimpleCaller.at("::1").as("alice"));
		transaction.evaluate(
				Stream.of("global", "user").map((id) -> new MatchedRule(this.evaluator.rule(id), null)).toList(),
				Stage.ALL);
		Verdict later = this.limiter.tryAcquire(PermitRequest.of("user").user("alice").cost(2));
		Verdict both = CombinedVerdict.of(transaction.verdict(), later);
		assertThat(both.outcome()).isEqualTo(Verdict.Outcome.REJECTED);
		assertThat(both.decisions()).extracting(RuleDecision::rule).containsExactly("global", "user");
		assertThat(both.violated()).hasSize(1);
	}

	private long remaining(PermitRequest request) {
		return this.limiter.peek(request.cost(0)).decisions().get(0).decision().remaining();
	}

	private static Rule rule(String id, Scope scope, RuleLimits limits) {
		return TestRules.rule(id, limits).scope(scope);
	}

	private static TokenBucket bucket(long burst) {
		return new TokenBucket(Rate.parse("1/h"), burst);
	}

}
