package io.tierlimit.evaluation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CancellationException;

import io.tierlimit.key.Caller;
import io.tierlimit.key.KeyHash;
import io.tierlimit.key.KeyHashing;
import io.tierlimit.limit.LeakyBucket;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.rule.Charging;
import io.tierlimit.rule.HeaderVisibility;
import io.tierlimit.rule.Limits;
import io.tierlimit.rule.Mode;
import io.tierlimit.rule.Reservations;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.RuleSet;
import io.tierlimit.rule.Scope;
import io.tierlimit.rule.Selection;
import io.tierlimit.rule.StorePolicy;
import io.tierlimit.store.Answer;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.BucketStore;
import io.tierlimit.store.Charge;
import io.tierlimit.store.InMemoryBucketStore;
import io.tierlimit.store.SimulatedTicker;
import io.tierlimit.limit.Decision;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class WaitingTests {

	private static final Object[] NOTHING = {};

	private final SimulatedTicker ticker = new SimulatedTicker();

	private final InMemoryBucketStore store = new InMemoryBucketStore(this.ticker, 100);

	private final List<Duration> held = new ArrayList<>();

	private final List<RuleOutcome> told = new ArrayList<>();

	private final NotedPause pause = new NotedPause();

	@Test
	void isHeldUntilItsPermitHasCome() {
		this.pause.passes = true;
		WaitingRoom room = new WaitingRoom(1, this.pause);
		RateLimitEvaluator evaluator = evaluator(room, this.store);
		assertThat(request(evaluator, "queue").timeToAct()).isZero();
		assertThat(request(evaluator, "queue").allowed()).isTrue();
		assertThat(request(evaluator, "queue").allowed()).isTrue();
		assertThat(this.held).as("one after the other").containsOnly(Duration.ofMillis(100)).hasSize(2);
		assertThat(this.told).containsExactly(RuleOutcome.ALLOWED, RuleOutcome.WAITED, RuleOutcome.WAITED);
		assertThat(room.hasSeats()).isTrue();
	}

	@Test
	void isRefusedAtOnceIfThatTakesTooLong() {
		RateLimitEvaluator evaluator = evaluator(new WaitingRoom(9, this.pause), this.store);
		for (int i = 0; i < 3; i++) {
			assertThat(request(evaluator, "queue").allowed()).isTrue();
		}
		Verdict refused = request(evaluator, "queue");
		assertThat(refused.violated()).extracting((decision) -> decision.decision().retryAfter())
			.containsExactly(Duration.ofMillis(50));
		assertThat(this.held).containsExactly(Duration.ofMillis(100), Duration.ofMillis(200));
	}

	@Test
	void isRefusedWhereThereIsNoSeatAndReservesNothing() {
		RateLimitEvaluator evaluator = evaluator(new WaitingRoom(0, this.pause), this.store);
		request(evaluator, "queue");
		Verdict refused = request(evaluator, "queue");
		assertThat(refused.violated()).extracting((decision) -> decision.decision().retryAfter())
			.containsExactly(Duration.ofMillis(100));
		this.ticker.advance(100_000);
		assertThat(request(evaluator, "queue").allowed()).isTrue();
		assertThat(this.held).isEmpty();
	}

	@Test
	void whoFindsTheLastSeatTakenMeanwhileIsRefusedAndReservesNothing() {
		WaitingRoom room = new WaitingRoom(1, this.pause);
		RateLimitEvaluator evaluator = evaluator(room, new SeatTakingStore(this.store, room));
		request(evaluator, "queue");
		Verdict refused = request(evaluator, "queue");
		assertThat(refused.violated()).extracting((decision) -> decision.decision().retryAfter())
			.containsExactly(Duration.ofMillis(100));
		assertThat(this.held).isEmpty();
	}

	@Test
	void interruptEndsTheWaitAndGivesEverythingBack() {
		WaitingRoom room = new WaitingRoom(1, this.pause);
		this.pause.interrupts = true;
		RateLimitEvaluator evaluator = evaluator(room, this.store);
		request(evaluator, "queue");
		Tab tab = tab(evaluator);
		tab.evaluate(List.of(matched(evaluator, "plenty")), Stage.BEFORE_AUTHENTICATION);
		assertThatExceptionOfType(CancellationException.class)
			.isThrownBy(() -> tab.evaluate(List.of(matched(evaluator, "queue")), Stage.AFTER_AUTHENTICATION));
		assertThat(Thread.interrupted()).isTrue();
		assertThat(room.hasSeats()).isTrue();
		RateLimiter limiter = new RateLimiter(evaluator);
		assertThat(limiter.peek(Claim.of("plenty").costing(10)).allowed()).isTrue();
		this.ticker.advance(100_000);
		assertThat(limiter.tryAcquire(Claim.of("queue")).allowed()).isTrue();
	}

	@Test
	void callBeforeTheHandlerIsHeldThereAndThen() {
		RateLimitEvaluator evaluator = evaluator(new WaitingRoom(1, this.pause), this.store);
		request(evaluator, "queue");
		Tab tab = tab(evaluator);
		tab.holdLater(true);
		tab.evaluate(new MethodRules(List.of(matched(evaluator, "queue")), Map.of()), NOTHING);
		assertThat(this.held).containsExactly(Duration.ofMillis(100));
		assertThat(tab.takeTurn()).isNull();
	}

	@Test
	void interruptedCallLeavesWhatItsRequestWasCharged() {
		RateLimitEvaluator evaluator = evaluator(new WaitingRoom(1, this.pause), this.store);
		request(evaluator, "queue");
		Tab tab = tab(evaluator);
		tab.evaluate(List.of(matched(evaluator, "plenty")), Stage.ONLY);
		this.pause.interrupts = true;
		assertThatExceptionOfType(CancellationException.class)
			.isThrownBy(() -> tab.evaluate(new MethodRules(List.of(matched(evaluator, "queue")), Map.of()), NOTHING));
		assertThat(Thread.interrupted()).isTrue();
		RateLimiter limiter = new RateLimiter(evaluator);
		assertThat(limiter.peek(Claim.of("plenty").costing(10)).allowed()).as("the handler has run").isFalse();
		this.ticker.advance(100_000);
		assertThat(limiter.tryAcquire(Claim.of("queue")).allowed()).isTrue();
	}

	@Test
	void interruptedCallOfTheHandlerItselfGivesEverythingBack() {
		RateLimitEvaluator evaluator = evaluator(new WaitingRoom(1, this.pause), this.store);
		Rule queue = Objects.requireNonNull(evaluator.rule("queue")).rule();
		CompiledRule byArgument = evaluator
			.compile(new Rule(queue.id(), queue.selection(), queue.scope(), queue.limits(), "#n", queue.mode(),
					queue.visibility(), queue.store(), queue.reservations(), queue.charging()), List.of("n"));
		MethodRules handler = new MethodRules(List.of(new MatchedRule(byArgument, null)), Map.of("n", 0));
		request(evaluator, "queue");
		Tab tab = new Tab(evaluator, Caller.UNKNOWN, handler, () -> false, (verdict) -> {
		});
		tab.evaluate(List.of(matched(evaluator, "plenty")), Stage.ONLY);
		this.pause.interrupts = true;
		assertThatExceptionOfType(CancellationException.class)
			.isThrownBy(() -> tab.evaluate(handler, new Object[] { 1 }));
		assertThat(Thread.interrupted()).isTrue();
		assertThat(new RateLimiter(evaluator).peek(Claim.of("plenty").costing(10)).allowed())
			.as("the handler has not run")
			.isTrue();
	}

	@Test
	void turnsOfTwoStagesAreOne() {
		WaitingRoom room = new WaitingRoom(1, this.pause);
		RateLimitEvaluator evaluator = evaluator(room, this.store);
		tab(evaluator).evaluate(List.of(matched(evaluator, "queue"), matched(evaluator, "slow")), Stage.ONLY);
		Tab tab = tab(evaluator);
		tab.holdLater(true);
		assertThat(tab.evaluate(List.of(matched(evaluator, "slow")), Stage.BEFORE_AUTHENTICATION).allowed()).isTrue();
		assertThat(tab.evaluate(List.of(matched(evaluator, "queue")), Stage.AFTER_AUTHENTICATION).allowed()).isTrue();
		assertThat(room.hasSeats()).as("one seat is enough").isFalse();
		Turn turn = Objects.requireNonNull(tab.takeTurn());
		assertThat(tab.takeTurn()).isNull();
		turn.thenRun(() -> {
		});
		assertThat(this.held).containsExactly(Duration.ofSeconds(1));
		assertThat(room.enter()).as("the seat is free again").isTrue();
		assertThat(room.enter()).as("and was left once").isFalse();
	}

	@Test
	void whoIsRefusedLaterLeavesHisSeatAndAllThatWasReserved() {
		WaitingRoom room = new WaitingRoom(1, this.pause);
		RateLimitEvaluator evaluator = evaluator(room, this.store);
		request(evaluator, "queue");
		RateLimiter limiter = new RateLimiter(evaluator);
		limiter.acquire(Claim.of("plenty").costing(10));
		Tab tab = tab(evaluator);
		tab.holdLater(true);
		tab.evaluate(List.of(matched(evaluator, "queue")), Stage.BEFORE_AUTHENTICATION);
		assertThat(room.hasSeats()).isFalse();
		assertThat(tab.evaluate(List.of(matched(evaluator, "plenty")), Stage.AFTER_AUTHENTICATION).allowed()).isFalse();
		assertThat(room.hasSeats()).isTrue();
		this.ticker.advance(100_000);
		assertThat(limiter.tryAcquire(Claim.of("queue")).allowed()).isTrue();
	}

	@Test
	void requestThatEndsBeforeItsHandlerLeavesItsSeat() {
		WaitingRoom room = new WaitingRoom(1, this.pause);
		RateLimitEvaluator evaluator = evaluator(room, this.store);
		request(evaluator, "queue");
		Tab tab = tab(evaluator);
		tab.holdLater(true);
		tab.evaluate(List.of(matched(evaluator, "queue")), Stage.ONLY);
		tab.close();
		assertThat(room.hasSeats()).isTrue();
	}

	@Test
	void longestWaitOfAllRulesCounts() {
		RateLimitEvaluator evaluator = evaluator(new WaitingRoom(9, this.pause), this.store);
		List<MatchedRule> both = List.of(matched(evaluator, "queue"), matched(evaluator, "slow"));
		tab(evaluator).evaluate(both, Stage.ONLY);
		tab(evaluator).evaluate(both, Stage.ONLY);
		assertThat(this.held).containsExactly(Duration.ofSeconds(1));
	}

	@Test
	void shadowRuleHoldsNobody() {
		RateLimitEvaluator evaluator = evaluator(new WaitingRoom(9, this.pause), this.store);
		for (int i = 0; i < 5; i++) {
			assertThat(request(evaluator, "shadow").allowed()).isTrue();
		}
		assertThat(this.held).isEmpty();
		assertThat(this.told).contains(RuleOutcome.ALLOWED, RuleOutcome.SHADOW_REFUSED).hasSize(5);
	}

	@Test
	void callOfAMethodIsHeld() {
		this.pause.passes = true;
		RateLimitEvaluator evaluator = evaluator(new WaitingRoom(1, this.pause), this.store);
		MethodRules rules = new MethodRules(List.of(matched(evaluator, "queue")), Map.of());
		tab(evaluator).evaluate(rules, NOTHING);
		assertThat(tab(evaluator).evaluate(rules, NOTHING).allowed()).isTrue();
		assertThat(this.held).containsExactly(Duration.ofMillis(100));
	}

	@Test
	void programIsNeverHeld() {
		RateLimitEvaluator evaluator = evaluator(new WaitingRoom(9, this.pause), this.store);
		RateLimiter limiter = new RateLimiter(evaluator);
		limiter.acquire(Claim.of("queue"));
		assertThat(limiter.tryAcquire(Claim.of("queue")).allowed()).isFalse();
		assertThat(evaluator.evaluate(List.of(matched(evaluator, "queue")), Caller.UNKNOWN).allowed()).isFalse();
		assertThat(this.held).isEmpty();
	}

	private RateLimitEvaluator evaluator(WaitingRoom room, BucketStore buckets) {
		Limits queue = new Limits(new LeakyBucket(Rate.parse("10/s")));
		return new RateLimitEvaluator(
				new RuleSet(List
					.of(rule("queue", queue, Mode.ENFORCE, 250), rule("shadow", queue, Mode.SHADOW, 250),
							rule("slow", new Limits(
									new LeakyBucket(Rate.parse("1/s"))), Mode.ENFORCE, 5000),
							rule("plenty", new Limits(new TokenBucket(Rate.parse("1/d"), 10)), Mode.ENFORCE, 0))),
				Map.of(), new KeyHash(KeyHashing.NONE, null), buckets,
				new Watchers(EvaluationObserver.NONE, () -> List.of((verdict, caller) -> verdict.decisions()
					.forEach((decision) -> this.told.add(decision.outcome())))),
				room);
	}

	private static Rule rule(String id, Limits limits, Mode mode, long maxWait) {
		return new Rule(id, Selection.ALL_REQUESTS, Scope.of(), limits, "1", mode, HeaderVisibility.SHOWN,
				StorePolicy.STANDARD, new Reservations(0, Duration.ofMillis(maxWait)), Charging.STANDARD);
	}

	private static MatchedRule matched(RateLimitEvaluator evaluator, String rule) {
		return new MatchedRule(Objects.requireNonNull(evaluator.rule(rule)), null);
	}

	private static Tab tab(RateLimitEvaluator evaluator) {
		return new Tab(evaluator, Caller.UNKNOWN, MethodRules.NONE, () -> false, (verdict) -> {
		});
	}

	private static Verdict request(RateLimitEvaluator evaluator, String rule) {
		Tab tab = tab(evaluator);
		Verdict verdict = tab.evaluate(List.of(matched(evaluator, rule)), Stage.ONLY);
		tab.tell();
		return verdict;
	}

	/**
	 * Notes how long it is to last, and lets that pass at once if it is told so.
	 */
	private final class NotedPause implements Pause {

		private boolean passes;

		private boolean interrupts;

		@Override
		public long nanoTime() {
			return 0;
		}

		@Override
		public void await(Duration time) throws InterruptedException {
			if (this.interrupts) {
				throw new InterruptedException();
			}
			WaitingTests.this.held.add(time);
			if (this.passes) {
				WaitingTests.this.ticker.advance(time.toNanos() / 1000);
			}
		}

		@Override
		public void thenRun(Duration time, Runnable next) {
			WaitingTests.this.held.add(time);
			next.run();
		}

	}

	/**
	 * Somebody takes the last seat while a bucket is asked.
	 */
	private record SeatTakingStore(BucketStore buckets, WaitingRoom room) implements BucketStore {

		@Override
		public Answer acquire(List<Charge> charges) {
			Answer answer = this.buckets.acquire(charges);
			if (answer.decisions().stream().anyMatch((decision) -> decision != null && decision.timeToActTicks() > 0)) {
				assertThat(this.room.enter()).isTrue();
			}
			return answer;
		}

		@Override
		public List<Decision> peek(List<Charge> charges) {
			return this.buckets.peek(charges);
		}

		@Override
		public void refund(List<Charge> charges) {
			this.buckets.refund(charges);
		}

		@Override
		public boolean reset(BucketKey key) {
			return this.buckets.reset(key);
		}

		@Override
		public boolean resetAll(String rule) {
			return this.buckets.resetAll(rule);
		}

	}

}
