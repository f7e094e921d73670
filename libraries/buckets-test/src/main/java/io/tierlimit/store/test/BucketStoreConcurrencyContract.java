package io.tierlimit.store.test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;

import io.tierlimit.limit.Algorithm;
import io.tierlimit.limit.Concurrency;
import io.tierlimit.limit.Decision;
import io.tierlimit.limit.Limit;
import io.tierlimit.store.AcquireResult;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.BucketStore;
import io.tierlimit.store.Charge;
import io.tierlimit.store.ChargeOptions;
import io.tierlimit.store.PermitHolder;
import io.tierlimit.store.StoreFailureFlag;
import io.tierlimit.store.memory.InMemoryBucketStore;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.Assumptions.assumeThat;

/**
 * The part of the {@link BucketStoreContract} for permits that are held until they are
 * released.
 */
abstract class BucketStoreConcurrencyContract extends BucketStoreShardContract {

	/** Shorter than a store may hold permits without a renewal. */
	private static final Duration MAX_DURATION = Duration.ofSeconds(20);

	private static final Concurrency THREE = Concurrency.of(3, MAX_DURATION);

	@Test
	void permitsAreHeldUntilTheyAreReleased() {
		AcquireResult first = hold(USER, THREE, 1);
		AcquireResult second = hold(USER, THREE, 2);
		assertThat(hold(USER, THREE, 1).admitted()).isFalse();
		advanceClock(19 * SECOND);
		assertThat(hold(USER, THREE, 1).admitted()).isFalse();
		release(first);
		assertThat(left(THREE)).isEqualTo(1);
		release(second);
		assertThat(left(THREE)).isEqualTo(3);
	}

	@Test
	void otherBucketHasItsOwnPermits() {
		hold(USER, THREE, 3);
		assertThat(hold(IP, THREE, 3).admitted()).isTrue();
	}

	@Test
	void secondReleaseReleasesNothing() {
		AcquireResult first = hold(USER, THREE, 1);
		hold(USER, THREE, 2);
		release(first);
		hold(USER, THREE, 1);
		release(first);
		assertThat(left(THREE)).isZero();
	}

	@Test
	void holderEndsAfterTheMaximumDuration() {
		AcquireResult late = hold(USER, THREE, 2);
		advanceClock(10 * SECOND);
		hold(USER, THREE, 1);
		advanceClock(10 * SECOND - 1);
		assertThat(left(THREE)).isZero();
		advanceClock(1);
		assertThat(left(THREE)).isEqualTo(2);
		hold(USER, THREE, 2);
		release(late);
		assertThat(left(THREE)).as("the holder had ended").isZero();
	}

	@Test
	void waitOfRejectionIsUnknown() {
		hold(USER, THREE, 3);
		Decision decision = decision(hold(USER, THREE, 1));
		assertThat(decision.isWaitUnknown()).isTrue();
		assertThat(decision.neverAllowed()).isFalse();
		assertThat(decision.retryAfter()).isNull();
		assertThat(decision.nextPermitTicks()).isEqualTo(20 * SECOND);
	}

	@Test
	void waitOfRejectionIsTheHint() {
		Concurrency hinted = THREE.retryHint(Duration.ofSeconds(5));
		hold(USER, hinted, 3);
		assertThat(decision(hold(USER, hinted, 1)).retryAfter()).isEqualTo(Duration.ofSeconds(5));
	}

	@Test
	void costAboveTheLimitIsNeverAllowed() {
		assertThat(decision(hold(USER, THREE, 4)).neverAllowed()).isTrue();
		assertThat(left(THREE)).isEqualTo(3);
	}

	@Test
	void costOfZeroIsAllowedAndHoldsNothing() {
		hold(USER, THREE, 3);
		AcquireResult free = hold(USER, THREE, 0);
		assertThat(free.admitted()).isTrue();
		release(free);
		assertThat(left(THREE)).isZero();
	}

	@Test
	void ratesAndHeldPermitsAreAcquiredTogetherOrNotAtAll() {
		acquire(new Charge(GLOBAL, TEN, 9));
		assertThat(acquireHeld(new Charge(USER, THREE, 1), new Charge(GLOBAL, TEN, 2)).admitted()).isFalse();
		assertThat(left(THREE)).isEqualTo(3);
		hold(USER, THREE, 3);
		assertThat(acquireHeld(new Charge(USER, THREE, 1), new Charge(GLOBAL, TEN, 1)).admitted()).isFalse();
		assertThat(remaining(GLOBAL, TEN)).isEqualTo(1);
	}

	@Test
	void releaseRefundsNoRate() {
		AcquireResult both = acquireHeld(new Charge(USER, THREE, 1), new Charge(GLOBAL, TEN, 1));
		release(both, 0);
		assertThat(left(THREE)).isEqualTo(3);
		assertThat(remaining(GLOBAL, TEN)).isEqualTo(9);
	}

	@Test
	void shadowChargeHoldsPermitsIfThereAreEnough() {
		AcquireResult first = acquireHeld(new Charge(USER, THREE, 3, ChargeOptions.SHADOW));
		assertThat(left(THREE)).isZero();
		AcquireResult second = acquireHeld(new Charge(USER, THREE, 1, ChargeOptions.SHADOW));
		assertThat(second.admitted()).isTrue();
		assertThat(decision(second).allowed()).isFalse();
		release(first);
		assertThat(left(THREE)).isEqualTo(3);
	}

	@Test
	void chargesOnOneBucketHaveOneHolder() {
		AcquireResult both = acquireHeld(new Charge(USER, THREE, 1), new Charge(USER, THREE, 2));
		assertThat(both.admitted()).isTrue();
		assertThat(acquireHeld(new Charge(USER, THREE, 1), new Charge(IP, THREE, 1)).admitted()).isFalse();
		release(both, 0);
		assertThat(left(THREE)).isEqualTo(1);
		release(both, 1);
		assertThat(left(THREE)).isEqualTo(3);
	}

	@Test
	void refundWithoutReceiptReleasesNothing() {
		hold(USER, THREE, 2);
		this.store.refund(List.of(new Charge(USER, THREE, 2)), new StoreFailureFlag());
		assertThat(left(THREE)).isEqualTo(1);
	}

	@Test
	void resetReleasesAllHolders() {
		AcquireResult before = hold(USER, THREE, 2);
		this.store.reset(USER, new StoreFailureFlag());
		assertThat(left(THREE)).isEqualTo(3);
		hold(USER, THREE, 3);
		release(before);
		assertThat(left(THREE)).isZero();
	}

	@Test
	void resetOfTheRuleReleasesAllHolders() {
		hold(USER, THREE, 2);
		this.store.resetAll(USER.rule());
		assertThat(left(THREE)).isEqualTo(3);
	}

	@Test
	void changedLimitCountsEarlierHolders() {
		AcquireResult before = hold(USER, THREE, 2);
		Concurrency lower = Concurrency.of(1, Duration.ofSeconds(10));
		assertThat(hold(USER, lower, 1).admitted()).isFalse();
		assertThat(left(lower)).isZero();
		Concurrency higher = Concurrency.of(5, Duration.ofSeconds(10));
		AcquireResult after = hold(USER, higher, 3);
		assertThat(after.admitted()).isTrue();
		release(before);
		assertThat(left(higher)).isEqualTo(2);
		release(after);
		assertThat(left(THREE)).isEqualTo(3);
	}

	@Test
	void changedAlgorithmStartsFull() {
		AcquireResult before = hold(USER, THREE, 3);
		acquire(new Charge(USER, FOUR, 1));
		release(before);
		assertThat(remaining(USER, FOUR)).isEqualTo(3);
		assertThat(hold(USER, THREE, 3).admitted()).isTrue();
	}

	@Test
	void holdersAreShownWithTheirAges() {
		hold(USER, THREE, 2);
		advanceClock(3 * SECOND);
		hold(USER, THREE, 1);
		advanceClock(SECOND);
		assertThat(this.store.holders(USER)).extracting(PermitHolder::permits, PermitHolder::age)
			.containsExactly(tuple(2L, Duration.ofSeconds(4)), tuple(1L, Duration.ofSeconds(1)));
		assertThat(this.store.holders(IP)).isEmpty();
		advanceClock(16 * SECOND);
		assertThat(this.store.holders(USER)).hasSize(1);
	}

	@Test
	void operatorReleasesOneHolder() {
		AcquireResult first = hold(USER, THREE, 2);
		hold(USER, THREE, 1);
		String id = this.store.holders(USER).get(0).id();
		assertThat(this.store.release(USER, id)).isTrue();
		assertThat(left(THREE)).isEqualTo(2);
		assertThat(this.store.release(USER, id)).isFalse();
		assertThat(this.store.release(USER, "no id")).isFalse();
		assertThat(this.store.release(IP, id)).isFalse();
		hold(USER, THREE, 2);
		release(first);
		assertThat(left(THREE)).isZero();
	}

	@Test
	void clockThatRunsBackwardsReleasesNothing() {
		hold(USER, THREE, 2);
		advanceClock(-5 * SECOND);
		AcquireResult earlier = hold(USER, THREE, 1);
		assertThat(left(THREE)).isZero();
		release(earlier);
		assertThat(left(THREE)).isEqualTo(1);
	}

	@RepeatedTest(20)
	void holdsLikeTheStoreInMemory(RepetitionInfo info) {
		assumeThat(this.store.supports(Algorithm.CONCURRENCY)).isTrue();
		Random random = new Random(info.getCurrentRepetition());
		BucketStore memory = new InMemoryBucketStore(this::now, 10_000);
		Concurrency limit = Concurrency.of(1 + random.nextInt(8), MAX_DURATION);
		List<AcquireResult> held = new ArrayList<>();
		List<AcquireResult> expected = new ArrayList<>();
		for (int i = 0; i < 150; i++) {
			advanceClock(random.nextInt(2_000_000));
			List<Charge> charges = List.of(
					new Charge(new BucketKey("held", "key " + random.nextInt(3)), limit, random.nextInt(4)),
					new Charge(new BucketKey("per-user", "user " + random.nextInt(3)), FOUR, 1));
			if (random.nextInt(3) == 0 && !held.isEmpty()) {
				int released = random.nextInt(held.size());
				// A request may be released twice, or after its holder has ended.
				boolean again = random.nextInt(4) == 0;
				release(again ? held.get(released) : held.remove(released), 0);
				memory.refund(List.of((again ? expected.get(released) : expected.remove(released)).charge(0)),
						new StoreFailureFlag());
			}
			AcquireResult result = this.store.acquire(charges, new StoreFailureFlag());
			AcquireResult same = memory.acquire(charges, new StoreFailureFlag());
			assertThat(result.decisions()).isEqualTo(same.decisions());
			if (result.admitted()) {
				held.add(result);
				expected.add(same);
			}
			assertThat(this.store.peek(charges).decisions()).isEqualTo(memory.peek(charges).decisions());
		}
	}

	private AcquireResult hold(BucketKey key, Limit limit, long permits) {
		return acquireHeld(new Charge(key, limit, permits));
	}

	private AcquireResult acquireHeld(Charge... charges) {
		assumeThat(this.store.supports(Algorithm.CONCURRENCY)).isTrue();
		return acquire(charges);
	}

	private void release(AcquireResult held) {
		this.store.refund(held.charges(), new StoreFailureFlag());
	}

	private void release(AcquireResult held, int index) {
		this.store.refund(List.of(held.charge(index)), new StoreFailureFlag());
	}

	private long left(Limit limit) {
		Decision level = this.store.peek(List.of(new Charge(USER, limit, 0))).decision(0);
		return (level != null) ? level.remaining() : -1;
	}

	private static Decision decision(AcquireResult result) {
		return Objects.requireNonNull(result.decision(0));
	}

}
