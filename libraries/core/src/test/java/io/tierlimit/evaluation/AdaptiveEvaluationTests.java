package io.tierlimit.evaluation;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

import io.tierlimit.PermitRequest;
import io.tierlimit.Verdict;
import io.tierlimit.key.SimpleCaller;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.option.adaptive.AdaptiveRules;
import io.tierlimit.rule.RequestOutcome;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.TestRules;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests which requests are measured for adaptive rates, and which limits are reduced.
 */
class AdaptiveEvaluationTests extends SimulatedTraffic {

	private final Rule rule = AdaptiveRules.rule("r", 1000, 10).withErrors(0).build();

	private int addresses;

	@Test
	void failedRequestsReduceTheRate() {
		TestEvaluator evaluator = evaluator(this.rule);
		send(evaluator, 9, AdaptiveEvaluationTests::fail);
		assertThat(shareAfterUpdate(evaluator)).isEqualTo(1);
		send(evaluator, 1, AdaptiveEvaluationTests::fail);
		assertThat(shareAfterUpdate(evaluator)).isEqualTo(0.8);
	}

	@Test
	void oneCallerAddsOneFailure() {
		TestEvaluator evaluator = evaluator(this.rule);
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
		TestEvaluator evaluator = evaluator(this.rule);
		SimpleCaller company = SimpleCaller.at("192.0.2.1");
		for (int i = 0; i < 10; i++) {
			RateLimitTransaction transaction = begin(evaluator, company);
			transaction.continueAs(company.as("user " + i));
			fail(transaction);
		}
		assertThat(shareAfterUpdate(evaluator)).isEqualTo(0.8);
	}

	@ParameterizedTest
	@ValueSource(ints = { 200, 302, 400, 404, 429, 501, 505 })
	void otherStatusesAreNotFailures(int status) {
		TestEvaluator evaluator = evaluator(this.rule);
		send(evaluator, 20, (transaction) -> transaction.complete(RequestOutcome.answered(status)));
		assertThat(shareAfterUpdate(evaluator)).isEqualTo(1);
	}

	@Test
	void freeRequestsAreIgnored() {
		TestEvaluator tolerant = evaluator(AdaptiveRules.rule("r", 1000, 10).withErrors(0.5).build());
		send(tolerant, 90, (transaction) -> {
			transaction.waive((rule) -> true);
			transaction.complete(OK);
		});
		send(tolerant, 10, AdaptiveEvaluationTests::fail);
		assertThat(shareAfterUpdate(tolerant)).isEqualTo(0.8);
	}

	@Test
	void rolledBackAndRestartedRequestsAreIgnored() {
		TestEvaluator evaluator = evaluator(this.rule);
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
		Rule narrow = TestRules.rule("narrow", 1);
		TestEvaluator evaluator = evaluator(this.rule, narrow);
		send(evaluator, 11, (transaction) -> {
			Verdict verdict = transaction.evaluate(evaluator.matched("narrow"), Stage.ALL);
			transaction.complete(RequestOutcome.answered(verdict.allowed() ? 200 : 503));
		});
		assertThat(shareAfterUpdate(evaluator)).isEqualTo(1);
	}

	@Test
	void waitForPermitsIsNotMeasured() {
		Rule measured = AdaptiveRules.rule("r", 1000, 10).withLatency(Duration.ofMillis(100)).build();
		Rule waiting = waiting(TestRules.rule("waiting", new TokenBucket(Rate.parse("1/s"), 1)), MINUTE);
		TestEvaluator evaluator = evaluator(measured, waiting);
		send(evaluator, 20, (transaction) -> {
			Verdict verdict = transaction.evaluate(evaluator.matched("waiting"), Stage.ALL);
			transaction.await(verdict);
			transaction.begin(verdict);
			transaction.complete(OK);
		});
		assertThat(this.ticker.ticks()).as("each request has waited").isGreaterThan(15_000_000);
		this.ticker.advance(Duration.ofSeconds(2));
		assertThat(shareAfterUpdate(evaluator)).isEqualTo(1);
	}

	@Test
	void requestIsMeasuredOnceForEachRule() {
		TestEvaluator evaluator = evaluator(candidate(this.rule, bucket("9/s")));
		send(evaluator, 5, (transaction) -> {
			Verdict again = transaction.evaluateForward(evaluator.matched("r"), Stage.ALL);
			transaction.begin(again);
			transaction.begin(transaction.verdict());
			transaction.complete(FAILURE);
		});
		assertThat(shareAfterUpdate(evaluator)).as("5 requests are too few").isEqualTo(1);
	}

	@Test
	void requestIsNotMeasuredAfterItsEnd() {
		Rule slow = AdaptiveRules.rule("r", 1000, 10).withLatency(Duration.ofMillis(1)).build();
		TestEvaluator evaluator = evaluator(slow);
		send(evaluator, 20, (transaction) -> {
			transaction.complete(OK);
			transaction.begin(transaction.verdict());
		});
		this.ticker.advance(Duration.ofSeconds(2));
		begin(evaluator);
		assertThat(shareAfterUpdate(evaluator)).as("no request is in flight for a second").isEqualTo(1);
		send(evaluator, 20, (transaction) -> {
		});
		this.ticker.advance(Duration.ofSeconds(2));
		begin(evaluator);
		assertThat(shareAfterUpdate(evaluator)).as("twenty are").isEqualTo(0.8);
	}

	@Test
	void reducesLimitsOfPlansOverridesCandidatesAndCode() {
		Rule tiers = candidate(plans(this.rule), bucket("500/s"));
		TestEvaluator evaluator = evaluator(overridden(tiers, limit("alice", bucket("5000/s"))));
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
		TestEvaluator evaluator = evaluator(this.rule);
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
		transaction.complete(FAILURE);
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

	private double shareAfterUpdate(TestEvaluator evaluator) {
		update(evaluator);
		return share(evaluator);
	}

}
