package io.tierlimit.evaluation;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;

import io.tierlimit.Hold;
import io.tierlimit.PermitRequest;
import io.tierlimit.RateLimitExceededException;
import io.tierlimit.RateLimiter;
import io.tierlimit.RuleDecision;
import io.tierlimit.Verdict.Outcome;
import io.tierlimit.junit.Poll;
import io.tierlimit.limit.StoreFailurePolicy;
import io.tierlimit.rule.Scope;
import io.tierlimit.rule.TestRules;
import io.tierlimit.store.AcquireResult;
import io.tierlimit.store.AcquireResult.Source;
import io.tierlimit.store.Charge;
import io.tierlimit.store.DelegatingBucketStore;
import io.tierlimit.store.SimulatedTicker;
import io.tierlimit.store.StoreFailureFlag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests which of the requests that wait for permits in use continue first, and how many
 * may wait.
 */
class ReleaseOrderTests extends ReleaseTraffic {

	@Test
	void newRequestDoesNotOvertakeARequestThatWaits() {
		WaitQueue one = new WaitQueue(1, this.sleeper);
		TestEvaluator evaluator = evaluator(one, inUse("exports", 1, MAX_WAIT));
		Hold hold = evaluator.limiter().hold(EXPORT);
		this.sleeper.then(() -> {
			hold.close();
			assertThat(evaluator.remaining(EXPORT)).isOne();
			assertThatExceptionOfType(RateLimitExceededException.class)
				.isThrownBy(() -> evaluator.limiter().hold(EXPORT))
				.satisfies((ex) -> assertThat(violated(ex)).singleElement()
					.satisfies((decision) -> assertThat(decision.decision().isWaitUnknown()).isTrue()));
		});
		assertThat(request(evaluator, "exports").allowed()).isTrue();
	}

	@Test
	void otherRuleRejectsARequestBehindAnother() {
		TestEvaluator evaluator = evaluator(new WaitQueue(2, this.sleeper), inUse("exports", 1, MAX_WAIT),
				TestRules.rule("calls", 10));
		Hold hold = evaluator.limiter().hold(EXPORT);
		evaluator.limiter().acquire(CALL.cost(10));
		this.sleeper.then(() -> {
			hold.close();
			assertThatExceptionOfType(RateLimitExceededException.class)
				.isThrownBy(() -> evaluator.limiter().hold(EXPORT, CALL))
				.satisfies((ex) -> assertThat(violated(ex)).extracting(RuleDecision::rule).containsExactly("calls"));
		});
		assertThat(request(evaluator, "exports").allowed()).isTrue();
		assertThat(evaluator.remaining(EXPORT)).isOne();
	}

	@Test
	void requestBehindAnotherIsDecidedInOneCall() {
		RecordedCalls recorded = new RecordedCalls(this.store);
		TestEvaluator evaluator = evaluator(recorded, new WaitQueue(1, this.sleeper), inUse("exports", 1, MAX_WAIT),
				TestRules.rule("calls", 10));
		Hold hold = evaluator.limiter().hold(EXPORT);
		this.sleeper.then(() -> {
			recorded.calls.clear();
			assertThat(request(evaluator, "exports", "calls").violated()).extracting(RuleDecision::rule)
				.containsExactly("exports");
			assertThat(recorded.calls).containsExactly("acquire 2");
			assertThat(evaluator.remaining(CALL)).as("nothing is acquired").isEqualTo(10);
			evaluator.limiter().acquire(CALL.cost(10));
			recorded.calls.clear();
			assertThat(request(evaluator, "exports", "calls").violated()).extracting(RuleDecision::rule)
				.containsExactly("calls");
			assertThat(recorded.calls).containsExactly("acquire 2");
			hold.close();
		});
		assertThat(request(evaluator, "exports").allowed()).isTrue();
	}

	@Test
	void requestsForASharedBucketOccupyHalfOfTheSlots() {
		WaitQueue four = new WaitQueue(4, this.sleeper);
		TestEvaluator evaluator = evaluator(four, inUse("exports", 1, MAX_WAIT), inUse("other", 1, MAX_WAIT));
		PermitRequest other = PermitRequest.of("other");
		List<Hold> holds = List.of(evaluator.limiter().hold(EXPORT), evaluator.limiter().hold(other));
		this.sleeper.then(() -> {
			this.sleeper.then(() -> {
				assertThat(request(evaluator, "exports").allowed()).as("the third").isFalse();
				assertThat(this.sleeper.sleeps).hasSize(2);
				this.sleeper.then(holds.get(1)::close);
				assertThat(request(evaluator, "other").allowed()).isTrue();
			});
			assertThat(request(evaluator, "exports").allowed()).as("the second, behind the first").isFalse();
			holds.get(0).close();
		});
		request(evaluator, "exports");
	}

	@Test
	void requestsOfOneCallerOccupyATenthOfTheSlots() {
		TestEvaluator perUser = evaluator(new WaitQueue(10, this.sleeper),
				inUse("exports", 1, MAX_WAIT).scope(Scope.of("user")));
		RateLimiter limiter = perUser.limiter();
		Hold alice = limiter.hold(EXPORT.user("alice"));
		Hold bob = limiter.hold(EXPORT.user("bob"));
		this.sleeper.then(() -> {
			assertThatExceptionOfType(RateLimitExceededException.class).as("the second of alice")
				.isThrownBy(() -> limiter.hold(EXPORT.user("alice")));
			this.sleeper.then(bob::close);
			limiter.hold(EXPORT.user("bob"));
			alice.close();
		});
		limiter.hold(EXPORT.user("alice"));
		assertThat(this.ticker.ticks()).isZero();
	}

	@Test
	void requestsAreNotOrderedWhileTheStoreIsUnavailable() {
		List<StoreFailurePolicy> outage = new ArrayList<>();
		TestEvaluator evaluator = evaluator(new DelegatingBucketStore(this.store) {

			@Override
			public AcquireResult acquire(List<Charge> charges, StoreFailureFlag failureFlag) {
				return outage.isEmpty() ? super.acquire(charges, failureFlag)
						: AcquireResult.unreachable(charges, outage.get(0));
			}

			@Override
			public AcquireResult peek(List<Charge> charges) {
				AcquireResult result = super.peek(charges);
				return outage.isEmpty() ? result
						: new AcquireResult(true, Source.FALLBACK, result.decisions(), result.charges());
			}

		}, new WaitQueue(2, this.sleeper), inUse("exports", 1, MAX_WAIT));
		evaluator.limiter().hold(EXPORT);
		this.sleeper.then(() -> {
			outage.add(StoreFailurePolicy.DENY);
			assertThat(request(evaluator, "exports").outcome()).isEqualTo(Outcome.UNAVAILABLE);
			outage.set(0, StoreFailurePolicy.ALLOW);
			assertThat(request(evaluator, "exports").outcome()).isEqualTo(Outcome.ALLOWED);
		});
		assertThat(request(evaluator, "exports").outcome()).isEqualTo(Outcome.ALLOWED);
		assertThat(this.sleeper.sleeps).hasSize(1);
	}

	@Test
	void requestsAreAllowedInTheOrderOfTheirArrival() throws Exception {
		BlockingSleeper blocking = new BlockingSleeper();
		TestEvaluator evaluator = evaluator(new WaitQueue(9, blocking), inUse("exports", 1, MAX_WAIT));
		Deque<Hold> holds = new ArrayDeque<>(List.of(evaluator.limiter().hold(EXPORT)));
		ConcurrentLinkedQueue<Integer> order = new ConcurrentLinkedQueue<>();
		List<Hold> acquired = new CopyOnWriteArrayList<>();
		ExecutorService threads = Executors.newCachedThreadPool();
		try {
			List<CompletableFuture<Void>> waiting = new ArrayList<>();
			for (int i = 0; i < 5; i++) {
				int number = i;
				waiting.add(CompletableFuture.runAsync(() -> {
					Hold hold = evaluator.limiter().hold(EXPORT);
					order.add(number);
					acquired.add(hold);
				}, threads));
				Poll.until(() -> blocking.sleeping() == number + 1, () -> "sleeping: " + blocking.sleeping());
			}
			for (int i = 0; i < 5; i++) {
				int number = i;
				holds.removeFirst().close();
				Poll.until(() -> acquired.size() == number + 1, () -> "acquired: " + order);
				holds.add(acquired.get(number));
				blocking.advance(Duration.ofMillis(10));
			}
			assertThat(order).containsExactly(0, 1, 2, 3, 4);
			waiting.forEach(CompletableFuture::join);
		}
		finally {
			threads.shutdownNow();
		}
	}

	private static List<RuleDecision> violated(RateLimitExceededException ex) {
		return Objects.requireNonNull(ex.verdict()).violated();
	}

	/**
	 * Blocks each thread until it receives a signal, or until the test advances the time.
	 */
	private static final class BlockingSleeper implements Sleeper {

		private final Set<Semaphore> sleeping = ConcurrentHashMap.newKeySet();

		private final SimulatedTicker clock = new SimulatedTicker();

		int sleeping() {
			return this.sleeping.size();
		}

		void advance(Duration time) {
			this.clock.advance(time);
			this.sleeping.forEach(Semaphore::release);
		}

		@Override
		public void sleep(Duration time) {
			throw new IllegalStateException("No permits are reserved");
		}

		@Override
		public void sleep(Duration time, Semaphore signal) throws InterruptedException {
			this.sleeping.add(signal);
			signal.acquire();
			this.sleeping.remove(signal);
		}

		@Override
		public long nanoTime() {
			return 1000 * this.clock.ticks();
		}

	}

}
