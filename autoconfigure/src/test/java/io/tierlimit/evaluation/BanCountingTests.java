package io.tierlimit.evaluation;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;

import io.tierlimit.AnonymousPolicy;
import io.tierlimit.Verdict;
import io.tierlimit.adaptive.AdaptiveRules;
import io.tierlimit.key.SimpleCaller;
import io.tierlimit.limit.BanPolicy;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.rule.RequestOutcome;
import io.tierlimit.rule.ReservationOptions;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.RuleLimits;
import io.tierlimit.rule.RuleSet;
import io.tierlimit.rule.Scope;
import io.tierlimit.rule.Selection;
import io.tierlimit.store.InMemoryBucketStore;
import io.tierlimit.store.SimulatedTicker;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that a rejection counts for a ban only if it is the caller's own doing.
 */
class BanCountingTests {

	private static final Duration WITHIN = Duration.ofMinutes(1);

	private static final SimpleCaller ALICE = SimpleCaller.at("192.0.2.1").as("alice");

	private final SimulatedTicker ticker = new SimulatedTicker();

	private final InMemoryBucketStore store = new InMemoryBucketStore(this.ticker, 100);

	@Test
	void callerThatIgnoresItsLimitIsBanned() {
		TestEvaluator evaluator = evaluator(perUser("10/h"));
		send(evaluator, 10);
		assertThat(isBannedAfter(evaluator, 2)).isFalse();
		assertThat(isBannedAfter(evaluator, 1)).isTrue();
	}

	@Test
	void rejectionsUnderAReducedRateDoNotCount() {
		Rule adaptive = AdaptiveRules.rule("r", 10, 1).withErrors(0).build();
		TestEvaluator evaluator = evaluator(
				perUser("10/s").options((options) -> options.adaptive(adaptive.options().adaptive())));
		for (int i = 0; i < 10; i++) {
			RateLimitTransaction transaction = new RateLimitTransaction(evaluator.evaluator(),
					SimpleCaller.at("192.0.2.1").as("user" + i));
			transaction.measure(transaction.evaluate(matched(evaluator), Stage.ALL));
			transaction.complete(RequestOutcome.answered(500));
		}
		evaluator.inForce().current().adaptiveRates().update(this.store);
		assertThat(isBannedAfter(evaluator, 20)).isFalse();
		this.ticker.advance(Duration.ofHours(1));
		for (int i = 0; i < 100; i++) {
			this.ticker.advance(Duration.ofSeconds(1));
			evaluator.inForce().current().adaptiveRates().update(this.store);
		}
		send(evaluator, 10);
		assertThat(isBannedAfter(evaluator, 3)).as("at the full rate").isTrue();
	}

	@Test
	void rejectionsAfterAReloadThatLowersTheLimitDoNotCountForTheWindow() {
		TestEvaluator evaluator = evaluator(perUser("10/h"));
		evaluator.replace(perUser("5/h"));
		send(evaluator, 5);
		assertThat(isBannedAfter(evaluator, 20)).isFalse();
		evaluator.replace(perUser("5/h"));
		assertThat(isBannedAfter(evaluator, 20)).as("another reload").isFalse();
		this.ticker.advance(WITHIN);
		assertThat(isBannedAfter(evaluator, 3)).isTrue();
	}

	@Test
	void rejectionsAfterAReloadThatRaisesTheLimitCount() {
		TestEvaluator evaluator = evaluator(perUser("5/h"));
		evaluator.replace(perUser("10/h"));
		send(evaluator, 10);
		assertThat(isBannedAfter(evaluator, 3)).isTrue();
	}

	@Test
	void rejectionsForLackOfASlotDoNotCount() {
		WaitQueue queue = new WaitQueue(20, (time) -> {
		});
		TestEvaluator evaluator = evaluator(queue, waiting(perUser("1/s")));
		send(evaluator, 1);
		List<Verdict> waiting = List.of(evaluate(evaluator), evaluate(evaluator));
		assertThat(waiting).allMatch(Verdict::allowed);
		assertThat(isBannedAfter(evaluator, 10)).as("would wait for 3 s of 10 s, but two requests wait already")
			.isFalse();
		queue.await(waiting.get(0), (time) -> {
		}, () -> {
		});
		assertThat(evaluate(evaluator).allowed()).as("a free slot").isTrue();
	}

	@Test
	void callerThatFloodsIsBannedAlthoughItsRequestsFindNoSlot() {
		TestEvaluator evaluator = evaluator(new WaitQueue(20, (time) -> {
		}), waiting(perUser("1/s")));
		send(evaluator, 3);
		assertThat(isBannedAfter(evaluator, 10)).as("as many as could wait for 10 s").isFalse();
		assertThat(isBannedAfter(evaluator, 3)).as("more than could ever wait").isTrue();
	}

	@Test
	void callersOfAPlanShareNoTenthOfTheSlots() {
		Rule perPlan = new Rule("r", Selection.ALL_REQUESTS, new Scope(List.of(Scope.PLAN), null, AnonymousPolicy.IP),
				new RuleLimits(new TokenBucket(Rate.parse("1/s"))));
		TestEvaluator evaluator = evaluator(new WaitQueue(10, (time) -> {
		}), waiting(perPlan));
		send(evaluator, 11);
		assertThat(evaluate(evaluator).allowed()).isFalse();
	}

	@Test
	void rejectionsBeyondTheMaximumWaitCount() {
		TestEvaluator evaluator = evaluator(new WaitQueue(1000, (time) -> {
		}), waiting(perUser("1/s")));
		for (int i = 0; i < 11; i++) {
			assertThat(evaluate(evaluator).allowed()).isTrue();
		}
		assertThat(isBannedAfter(evaluator, 3)).isTrue();
	}

	@Test
	void callersThatWaitDoNotHaveOthersBanned() {
		TestEvaluator evaluator = evaluator(new WaitQueue(10, (time) -> {
		}), waiting(perUser("1/s")));
		for (int i = 0; i < 10; i++) {
			SimpleCaller other = SimpleCaller.at("192.0.2.1").as("user" + i);
			evaluate(evaluator, other);
			assertThat(evaluate(evaluator, other).timeToAct()).isEqualTo(Duration.ofSeconds(1));
		}
		send(evaluator, 1);
		assertThat(isBannedAfter(evaluator, 20)).as("would wait, but all slots are occupied").isFalse();
		assertThat(evaluate(evaluator).allowed()).isFalse();
	}

	@Test
	void withoutSlotsAllRejectionsCount() {
		TestEvaluator evaluator = evaluator(WaitQueue.NONE, waiting(perUser("1/s")));
		send(evaluator, 1);
		assertThat(isBannedAfter(evaluator, 3)).isTrue();
	}

	private static Rule perUser(String rate) {
		return new Rule("r", Selection.ALL_REQUESTS, new Scope(List.of(Scope.USER), null, AnonymousPolicy.IP),
				new RuleLimits(new TokenBucket(Rate.parse(rate))))
			.options((options) -> options.ban(BanPolicy.of(3, WITHIN, WITHIN, WITHIN)));
	}

	private static Rule waiting(Rule rule) {
		return rule.options((options) -> options.reservations(new ReservationOptions(0, Duration.ofSeconds(10))));
	}

	private TestEvaluator evaluator(Rule rule) {
		return evaluator(WaitQueue.NONE, rule);
	}

	private TestEvaluator evaluator(WaitQueue queue, Rule rule) {
		RuleCompiler compiler = new RuleCompiler(Map.of(), TestEvaluators.PLAIN_KEYS, InstantSource.system(), Map.of(),
				this.ticker);
		return new TestEvaluator(new RulesInForce(compiler, new RuleSet(List.of(rule))),
				new RateLimitEvaluator(this.store, VerdictPublisher.NONE, queue));
	}

	private static List<MatchedRule> matched(TestEvaluator evaluator) {
		return List.of(new MatchedRule(evaluator.rule("r"), null));
	}

	private static Verdict evaluate(TestEvaluator evaluator) {
		return evaluate(evaluator, ALICE);
	}

	private static Verdict evaluate(TestEvaluator evaluator, SimpleCaller caller) {
		return new RateLimitTransaction(evaluator.evaluator(), caller).evaluate(matched(evaluator), Stage.ALL);
	}

	private static void send(TestEvaluator evaluator, int requests) {
		for (int i = 0; i < requests; i++) {
			assertThat(evaluate(evaluator).allowed()).isTrue();
		}
	}

	/**
	 * Sends requests until they are rejected so often, and returns whether one is banned.
	 */
	private static boolean isBannedAfter(TestEvaluator evaluator, int rejections) {
		boolean banned = false;
		for (int i = 0; i < rejections;) {
			Verdict verdict = evaluate(evaluator);
			banned |= verdict.banned();
			i += verdict.allowed() ? 0 : 1;
		}
		return banned;
	}

}
