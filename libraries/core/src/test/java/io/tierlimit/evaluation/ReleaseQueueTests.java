package io.tierlimit.evaluation;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Semaphore;

import io.tierlimit.PermitRequest;
import io.tierlimit.evaluation.ReleaseQueue.Waiter;
import io.tierlimit.rule.Scope;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.SimulatedTicker;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests the turns of waiters, with a simulated clock in one thread: what other threads do
 * happens while the waiter sleeps.
 */
class ReleaseQueueTests {

	private static final Duration MOST = Duration.ofSeconds(1);

	private static final BucketKey A = new BucketKey("exports", "a");

	private static final BucketKey B = new BucketKey("exports", "b");

	private final SimulatedTicker ticker = new SimulatedTicker();

	private final SimulatedSleeper sleeper = new SimulatedSleeper(this.ticker);

	private final ReleaseQueue queue = new ReleaseQueue(this.sleeper);

	@Test
	void releaseInThisInstanceIsATurnAtOnce() throws Exception {
		Waiter waiter = this.queue.enter(Set.of(A));
		this.sleeper.then(() -> this.queue.released(A));
		assertThat(waiter.awaitTurn(MOST)).isTrue();
		assertThat(waiter.waited()).isZero();
		waiter.continueFor(Set.of(A));
		this.sleeper.then(() -> this.queue.released(B));
		assertThat(waiter.awaitTurn(MOST)).isTrue();
		assertThat(waiter.waited()).as("a release of another bucket").isEqualTo(Duration.ofMillis(200));
	}

	@Test
	void releaseDuringATurnLeadsToAnotherTurn() throws Exception {
		Waiter waiter = this.queue.enter(Set.of(A));
		this.queue.released(A);
		assertThat(waiter.awaitTurn(MOST)).isTrue();
		this.queue.released(A);
		waiter.continueFor(Set.of(A));
		assertThat(waiter.awaitTurn(MOST)).isTrue();
		assertThat(waiter.waited()).isZero();
		waiter.continueFor(Set.of(A));
		assertThat(waiter.awaitTurn(MOST)).as("without a further release").isTrue();
		assertThat(waiter.waited()).isEqualTo(Duration.ofMillis(200));
	}

	@Test
	void releaseDuringATurnThatFoundOtherPermitsLeadsToTheNextTurn() throws Exception {
		Waiter first = this.queue.enter(Set.of(A));
		Waiter second = this.queue.enter(Set.of(A));
		assertThat(first.awaitTurn(MOST)).isTrue();
		this.queue.released(A);
		first.leave(true);
		assertThat(second.awaitTurn(MOST)).isTrue();
		assertThat(second.waited()).isEqualTo(Duration.ofMillis(200));
	}

	/** 20 permits serve 1000 requests per second, but 200 arrive after the burst. */
	@Test
	void queueEndsAfterABurst() throws Exception {
		ReleaseQueue loaded = new ReleaseQueue(new SimulatedSleeper(this.ticker) {

			@Override
			public void sleep(Duration time, Semaphore signal) throws InterruptedException {
				throw new InterruptedException();
			}

		});
		Deque<Integer> ends = new ArrayDeque<>();
		Deque<Waiter> waiters = new ArrayDeque<>();
		int most = 0;
		for (int time = 0; time < 3000; time++) {
			while (!ends.isEmpty() && ends.getFirst() == time) {
				ends.removeFirst();
				loaded.released(A);
			}
			int arrivals = ((time % 5 == 0) ? 1 : 0) + ((time == 1000) ? 60 : 0);
			for (int i = 0; i < arrivals; i++) {
				if (waiters.isEmpty() && ends.size() < 20) {
					ends.addLast(time + 20);
				}
				else {
					waiters.addLast(loaded.enter(Set.of(A)));
				}
			}
			most = Math.max(most, waiters.size());
			while (!waiters.isEmpty() && hasTurn(waiters.getFirst())) {
				if (ends.size() < 20) {
					ends.addLast(time + 20);
					waiters.removeFirst().leave(true);
				}
				else {
					waiters.getFirst().continueFor(Set.of(A));
				}
			}
			this.ticker.advance(Duration.ofMillis(1));
			assertThat(time > 1200 && !waiters.isEmpty()).as("waits at %s ms", time).isFalse();
		}
		assertThat(most).isGreaterThan(40);
	}

	private static boolean hasTurn(Waiter waiter) {
		try {
			return waiter.awaitTurn(MOST);
		}
		catch (InterruptedException ex) {
			return false;
		}
	}

	@Test
	void bucketHasAtMostTenTurnsInASecondThatAcquireNothing() throws Exception {
		List<Long> turns = new ArrayList<>();
		for (int i = 0; i < 35; i++) {
			Waiter waiter = this.queue.enter(Set.of(A));
			this.queue.released(A);
			assertThat(waiter.awaitTurn(Duration.ofMinutes(1))).isTrue();
			turns.add(this.ticker.ticks());
			this.ticker.advance(Duration.ofMillis(3));
			waiter.leave(false);
		}
		for (int i = 10; i < turns.size(); i++) {
			assertThat(turns.get(i) - turns.get(i - 10)).isGreaterThanOrEqualTo(1_000_000);
		}
		assertThat(turns.get(9)).as("without a pause").isLessThan(30_000);
	}

	@Test
	void turnsThatAcquirePermitsAreNotBounded() throws Exception {
		for (int i = 0; i < 100; i++) {
			Waiter waiter = this.queue.enter(Set.of(A));
			this.queue.released(A);
			assertThat(waiter.awaitTurn(MOST)).isTrue();
			this.ticker.advance(Duration.ofMillis(1));
			waiter.leave(true);
		}
		assertThat(this.ticker.ticks()).isEqualTo(100_000);
	}

	@Test
	void waiterThatIsNotTheFirstHasNoTurn() throws Exception {
		this.queue.enter(Set.of(A));
		Waiter second = this.queue.enter(Set.of(A));
		this.sleeper.then(() -> this.queue.released(A));
		assertThat(second.awaitTurn(MOST)).isFalse();
		assertThat(this.sleeper.sleeps).containsExactly(MOST);
	}

	@Test
	void nextWaiterHasATurnWhenTheFirstHasAcquiredItsPermits() throws Exception {
		Waiter first = this.queue.enter(Set.of(A));
		Waiter second = this.queue.enter(Set.of(A));
		this.queue.released(A);
		this.queue.released(A);
		assertThat(first.awaitTurn(MOST)).isTrue();
		this.sleeper.then(() -> first.leave(true));
		assertThat(second.awaitTurn(MOST)).isTrue();
		assertThat(second.waited()).isZero();
	}

	@Test
	void nextWaiterIsTheFirstWhenTheFirstGivesUp() throws Exception {
		Waiter first = this.queue.enter(Set.of(A));
		Waiter second = this.queue.enter(Set.of(A));
		this.sleeper.then(() -> first.leave(false));
		assertThat(second.awaitTurn(MOST)).isTrue();
		assertThat(second.waited()).isEqualTo(Duration.ofMillis(200));
	}

	@Test
	void waiterOfTwoBucketsMustBeTheFirstOfBoth() throws Exception {
		Waiter first = this.queue.enter(Set.of(A));
		Waiter both = this.queue.enter(Set.of(A, B));
		this.queue.released(B);
		this.sleeper.then(() -> {
			this.queue.released(A);
			this.queue.released(A);
			first.leave(true);
		});
		assertThat(both.awaitTurn(MOST)).isTrue();
		assertThat(this.sleeper.sleeps).containsExactly(MOST);
		assertThat(both.waited()).isZero();
	}

	@Test
	void firstWaiterOfABucketThatIsNotTheFirstOfAnotherLetsTheNextContinue() throws Exception {
		Waiter ofA = this.queue.enter(Set.of(A));
		Waiter both = this.queue.enter(Set.of(A, B));
		Waiter ofB = this.queue.enter(Set.of(B));
		assertThat(ofB.awaitTurn(Duration.ofMillis(1))).isFalse();
		assertThat(both.awaitTurn(Duration.ofMillis(2))).isFalse();
		this.queue.released(B);
		assertThat(ofB.awaitTurn(MOST)).as("the next of B").isTrue();
		assertThat(this.ticker.ticks()).isEqualTo(2000);
		ofB.continueFor(Set.of(B));
		ofA.leave(true);
		assertThat(both.awaitTurn(MOST)).as("the next of A").isTrue();
		both.continueFor(Set.of(A, B));
		this.queue.released(B);
		assertThat(ofB.awaitTurn(MOST)).as("behind the older waiter again").isFalse();
	}

	@Test
	void olderWaiterThatEntersALineWakesItsFirst() throws Exception {
		Waiter older = this.queue.enter(Set.of(A));
		Waiter both = this.queue.enter(Set.of(B));
		both.continueFor(Set.of(B, new BucketKey("exports", "c")));
		Waiter last = this.queue.enter(Set.of(new BucketKey("exports", "c")));
		this.sleeper.then(() -> {
			older.continueFor(Set.of(B));
			this.ticker.advance(Duration.ofMillis(1));
		});
		assertThat(both.awaitTurn(MOST)).isFalse();
		assertThat(this.sleeper.sleeps).containsExactly(Duration.ofMillis(200), MOST.minusMillis(1));
		this.queue.released(new BucketKey("exports", "c"));
		assertThat(last.awaitTurn(MOST.multipliedBy(2))).isTrue();
		assertThat(last.waited()).isEqualTo(MOST);
	}

	@Test
	void waiterKeepsItsPlaceWhenItWaitsForAnotherBucket() throws Exception {
		Waiter older = this.queue.enter(Set.of(A));
		Waiter younger = this.queue.enter(Set.of(B));
		older.continueFor(Set.of(B));
		assertThat(younger.awaitTurn(MOST)).isFalse();
		older.leave(false);
		assertThat(younger.awaitTurn(MOST.multipliedBy(2))).isTrue();
	}

	@Test
	void queueOfABucketEndsWithItsLastWaiter() {
		RuleCharge onA = charge("a");
		RuleCharge onB = charge("b");
		Waiter waiter = this.queue.enter(Set.of(onA.key()));
		assertThat(this.queue.waitedFor(List.of(onA, onB), null)).containsExactly(onA.key());
		assertThat(this.queue.waitedFor(List.of(onA), waiter)).as("no other waiter").isEmpty();
		Waiter younger = this.queue.enter(Set.of(onA.key()));
		assertThat(this.queue.waitedFor(List.of(onA), waiter)).as("younger").isEmpty();
		assertThat(this.queue.waitedFor(List.of(onA), younger)).as("older").isNotEmpty();
		waiter.leave(true);
		younger.leave(true);
		assertThat(this.queue.waitedFor(List.of(onA), null)).isEmpty();
	}

	private static RuleCharge charge(String user) {
		TestEvaluator evaluator = TestEvaluators.of(ReleaseTraffic.inUse("exports", 1, MOST).scope(Scope.of("user")));
		List<RuleCharge> charges = new ArrayList<>();
		CompiledRule rule = evaluator.rule("exports");
		rule.add(
				Objects.requireNonNull(
						PermitCharges.of(rule, PermitRequest.of("exports").user(user), RuleChargeOptions::waiting)),
				charges);
		return charges.get(0);
	}

}
