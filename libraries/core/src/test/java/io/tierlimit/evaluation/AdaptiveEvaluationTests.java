package io.tierlimit.evaluation;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

import io.tierlimit.PermitRequest;
import io.tierlimit.Verdict;
import io.tierlimit.key.SimpleCaller;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.option.adaptive.AdaptiveRates;
import io.tierlimit.option.adaptive.AdaptiveRules;
import io.tierlimit.option.candidate.CandidateLimits;
import io.tierlimit.option.standard.StandardOptions;
import io.tierlimit.option.wait.ReservationOptions;
import io.tierlimit.rule.CallerOverride;
import io.tierlimit.rule.CallerOverride.Effect;
import io.tierlimit.rule.CallerOverride.Kind;
import io.tierlimit.rule.CallerOverride.Target;
import io.tierlimit.rule.PlanLimit;
import io.tierlimit.rule.RequestOutcome;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.RuleLimits;
import io.tierlimit.rule.RuleSet;
import io.tierlimit.store.BucketStore;
import io.tierlimit.store.SimulatedTicker;
import io.tierlimit.store.memory.InMemoryBucketStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests which requests are measured for adaptive rates, and which limits are reduced.
 */
class AdaptiveEvaluationTests {

	private static final SimpleCaller ALICE = SimpleCaller.at("192.0.2.1").as("alice");

	private final Rule rule = AdaptiveRules.rule("r", 1000, 10).withErrors(0).build();

	private final BucketStore store = TestEvaluators.memory(100);

	private int addresses;

	@Test
	void failedRequestsReduceTheRate() {
		TestEvaluator evaluator = TestEvaluators.of(this.store, this.rule);
		send(evaluator, 9, AdaptiveEvaluationTests::fail);
		assertThat(shareAfterUpdate(evaluator)).isEqualTo(1);
		send(evaluator, 1, AdaptiveEvaluationTests::fail);
		assertThat(shareAfterUpdate(evaluator)).isEqualTo(0.8);
	}

	@Test
	void oneCallerAddsOneFailure() {
		TestEvaluator evaluator = simulated();
		for (int i = 0; i < 20; i++) {
			fail(begin(evaluator, ALICE));
			fail(begin(evaluator, SimpleCaller.at("192.0.2." + i).as("alice")));
		}
		send(evaluator, 8, AdaptiveEvaluationTests::fail);
		assertThat(shareAfterUpdate(evaluator)).as("a user at several addresses").isEqualTo(1);
		fail(begin(evaluator, SimpleCaller.at("192.0.2.1").as("bob")));
		assertThat(shareAfterUpdate(evaluator)).as("another user at the same address").isEqualTo(0.8);
	}

	@Test
	void userWhoIsAuthenticatedLaterIsTheCaller() {
		TestEvaluator evaluator = simulated();
		SimpleCaller company = SimpleCaller.at("192.0.2.1");
		for (int i = 0; i < 10; i++) {
			RateLimitTransaction transaction = begin(evaluator, company);
			transaction.continueAs(company.as("user " + i));
			fail(transaction);
		}
		assertThat(shareAfterUpdate(evaluator)).isEqualTo(0.8);
	}

	/** An evaluator of the rule, for which no time passes. */
	private TestEvaluator simulated() {
		RuleCompiler compiler = new RuleCompiler(Map.of(), TestEvaluators.PLAIN_KEYS,
				StandardOptions.of(InstantSource.system(), Map.of(), new SimulatedTicker()));
		return new TestEvaluator(new ActiveRules(compiler, new RuleSet(List.of(this.rule))),
				new RateLimitEvaluator(this.store));
	}

	@ParameterizedTest
	@ValueSource(ints = { 200, 302, 400, 404, 429, 501, 505 })
	void otherStatusesAreNotFailures(int status) {
		TestEvaluator evaluator = TestEvaluators.of(this.store, this.rule);
		send(evaluator, 20, (transaction) -> transaction.complete(RequestOutcome.answered(status)));
		assertThat(shareAfterUpdate(evaluator)).isEqualTo(1);
	}

	@Test
	void freeRequestsAreIgnored() {
		TestEvaluator tolerant = TestEvaluators.of(TestEvaluators.memory(100),
				AdaptiveRules.rule("r", 1000, 10).withErrors(0.5).build());
		send(tolerant, 90, (transaction) -> {
			transaction.waive((rule) -> true);
			transaction.complete(RequestOutcome.answered(200));
		});
		send(tolerant, 10, AdaptiveEvaluationTests::fail);
		assertThat(shareAfterUpdate(tolerant)).isEqualTo(0.8);
	}

	@Test
	void rolledBackAndRestartedRequestsAreIgnored() {
		TestEvaluator evaluator = TestEvaluators.of(this.store, this.rule);
		send(evaluator, 10, (transaction) -> {
			transaction.rollback();
			transaction.complete(RequestOutcome.answered(503));
		});
		send(evaluator, 10, (transaction) -> {
			transaction.restart();
			transaction.complete(RequestOutcome.answered(503));
		});
		assertThat(shareAfterUpdate(evaluator)).isEqualTo(1);
	}

	@Test
	void requestThatALaterStageRejectsIsIgnored() {
		Rule narrow = new Rule("narrow", this.rule.selection(), this.rule.scope(),
				new RuleLimits(new TokenBucket(Rate.parse("1/d"))));
		TestEvaluator evaluator = TestEvaluators.of(this.store, this.rule, narrow);
		send(evaluator, 11, (transaction) -> {
			Verdict verdict = transaction.evaluate(evaluator.matched("narrow"), Stage.ALL);
			transaction.complete(RequestOutcome.answered(verdict.allowed() ? 200 : 503));
		});
		assertThat(shareAfterUpdate(evaluator)).isEqualTo(1);
	}

	@Test
	void waitForPermitsIsNotMeasured() {
		SimulatedTicker ticker = new SimulatedTicker();
		RuleCompiler compiler = new RuleCompiler(Map.of(), TestEvaluators.PLAIN_KEYS,
				StandardOptions.of(InstantSource.system(), Map.of(), ticker));
		Rule measured = AdaptiveRules.rule("r", 1000, 10).withLatency(Duration.ofMillis(100)).build();
		Rule waiting = new Rule("waiting", this.rule.selection(), this.rule.scope(),
				new RuleLimits(new TokenBucket(Rate.parse("1/s"), 1)))
			.options((options) -> options.with(new ReservationOptions(0, Duration.ofMinutes(1))));
		WaitQueue queue = new WaitQueue(10, ticker::advance);
		TestEvaluator evaluator = new TestEvaluator(new ActiveRules(compiler, new RuleSet(List.of(measured, waiting))),
				new RateLimitEvaluator(new InMemoryBucketStore(ticker, 100), VerdictPublisher.NONE, queue));
		send(evaluator, 20, (transaction) -> {
			Verdict verdict = transaction.evaluate(evaluator.matched("waiting"), Stage.ALL);
			transaction.await(verdict);
			transaction.begin(verdict);
			transaction.complete(RequestOutcome.answered(200));
		});
		assertThat(ticker.ticks()).as("each request has waited").isGreaterThan(15_000_000);
		ticker.advance(Duration.ofSeconds(2));
		assertThat(shareAfterUpdate(evaluator)).isEqualTo(1);
	}

	@Test
	void requestIsMeasuredOnceForEachRule() {
		TestEvaluator evaluator = TestEvaluators.of(this.store, this.rule.options(
				(options) -> options.with(new CandidateLimits(new RuleLimits(new TokenBucket(Rate.parse("9/s")))))));
		send(evaluator, 5, (transaction) -> {
			Verdict again = transaction.evaluateForward(evaluator.matched("r"), Stage.ALL);
			transaction.begin(again);
			transaction.begin(transaction.verdict());
			transaction.complete(RequestOutcome.answered(500));
		});
		assertThat(shareAfterUpdate(evaluator)).as("5 requests are too few").isEqualTo(1);
	}

	@Test
	void requestIsNotMeasuredAfterItsEnd() {
		SimulatedTicker ticker = new SimulatedTicker();
		RuleCompiler compiler = new RuleCompiler(Map.of(), TestEvaluators.PLAIN_KEYS,
				StandardOptions.of(InstantSource.system(), Map.of(), ticker));
		Rule slow = AdaptiveRules.rule("r", 1000, 10).withLatency(Duration.ofMillis(1)).build();
		TestEvaluator evaluator = new TestEvaluator(new ActiveRules(compiler, new RuleSet(List.of(slow))),
				new RateLimitEvaluator(this.store));
		send(evaluator, 20, (transaction) -> {
			transaction.complete(RequestOutcome.answered(200));
			transaction.begin(transaction.verdict());
		});
		ticker.advance(Duration.ofSeconds(2));
		begin(evaluator);
		assertThat(shareAfterUpdate(evaluator)).as("no request is in flight for a second").isEqualTo(1);
		send(evaluator, 20, (transaction) -> {
		});
		ticker.advance(Duration.ofSeconds(2));
		begin(evaluator);
		assertThat(shareAfterUpdate(evaluator)).as("twenty are").isEqualTo(0.8);
	}

	@Test
	void reducesLimitsOfPlansOverridesCandidatesAndCode() {
		Rule tiers = new Rule("r", this.rule.selection(), this.rule.scope(),
				new RuleLimits(this.rule.limits().standard(),
						Map.of("pro", new PlanLimit(new TokenBucket(Rate.parse("2000/s"))))),
				"1", this.rule.options());
		TestEvaluator evaluator = TestEvaluators.of(this.store, tiers.options(
				(options) -> options.with(new CandidateLimits(new RuleLimits(new TokenBucket(Rate.parse("500/s")))))));
		evaluator.replace(new RuleSet(List.of(evaluator.rule("r").rule()))
			.overrides(List.of(new CallerOverride("vip", new Target(Kind.USER, List.of("alice")), Set.of("r"),
					Effect.LIMIT, Map.of("r", new TokenBucket(Rate.parse("5000/s"))), null, null))));
		send(evaluator, 10, AdaptiveEvaluationTests::fail);
		assertThat(shareAfterUpdate(evaluator)).isEqualTo(0.8);
		assertThat(rates(evaluator, ALICE)).containsExactly("4000");
		assertThat(rates(evaluator, SimpleCaller.at("192.0.2.2").as("bob"))).containsExactly("800", "400");
		assertThat(rates(evaluator, SimpleCaller.at("192.0.2.2").as("bob").on("pro"))).containsExactly("1600", "400");
		assertThat(perSecond(evaluator.limiter().peek(PermitRequest.of("r")).decisions().get(0).limit().rate()))
			.isEqualTo("800");
	}

	@Test
	void rateIsStillReducedAfterAReload() {
		TestEvaluator evaluator = TestEvaluators.of(this.store, this.rule);
		send(evaluator, 10, AdaptiveEvaluationTests::fail);
		assertThat(shareAfterUpdate(evaluator)).isEqualTo(0.8);
		evaluator.replace(this.rule);
		assertThat(evaluator.adaptiveRate("r").share()).isEqualByComparingTo("0.8");
	}

	private static List<String> rates(TestEvaluator evaluator, SimpleCaller caller) {
		return evaluator.evaluate(evaluator.matched("r"), caller)
			.decisions()
			.stream()
			.map((decision) -> perSecond(decision.limit().rate()))
			.toList();
	}

	private static String perSecond(Rate rate) {
		return String.valueOf(Math.round(rate.permits() * 1e6 / rate.periodTicks()));
	}

	private static void fail(RateLimitTransaction transaction) {
		transaction.complete(RequestOutcome.answered(500));
	}

	/** Sends requests from several addresses. */
	private void send(TestEvaluator evaluator, int requests, Consumer<RateLimitTransaction> rest) {
		for (int i = 0; i < requests; i++) {
			rest.accept(begin(evaluator));
		}
	}

	private RateLimitTransaction begin(TestEvaluator evaluator) {
		return begin(evaluator, SimpleCaller.at("198.51.100." + this.addresses++));
	}

	private static RateLimitTransaction begin(TestEvaluator evaluator, SimpleCaller caller) {
		RateLimitTransaction transaction = evaluator.begin(caller);
		Verdict verdict = transaction.evaluate(evaluator.matched("r"), Stage.ALL);
		assertThat(verdict.allowed()).isTrue();
		transaction.begin(verdict);
		return transaction;
	}

	private double shareAfterUpdate(TestEvaluator evaluator) {
		evaluator.activeRules().current().option(AdaptiveRates.class).update(this.store);
		return evaluator.adaptiveRate("r").share().doubleValue();
	}

}
