package io.tierlimit.store.memory;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;

import io.tierlimit.limit.Concurrency;
import io.tierlimit.store.AcquireResult;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.Charge;
import io.tierlimit.store.Crowd;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that a store in memory neither loses permits that requests hold, nor lets more
 * requests hold them.
 */
@ExtendWith(OutputCaptureExtension.class)
class HeldPermitsTests extends InMemoryTraffic {

	private static final Concurrency FIVE = Concurrency.of(5, Duration.ofHours(1));

	private static final BucketKey KEY = new BucketKey("exports", "ada");

	@Test
	void floodOfKeysReleasesNoPermits() {
		InMemoryBucketStore store = store(50);
		AcquireResult held = acquire(store, new Charge(KEY, FIVE, 1));
		for (int i = 0; i < 5000; i++) {
			acquire(store, new Charge(new BucketKey("per-ip", "flood " + i), TEN, 1));
		}
		assertThat(remaining(store, new Charge(KEY, FIVE, 0))).isEqualTo(4);
		refund(store, held);
		assertThat(remaining(store, new Charge(KEY, FIVE, 0))).isEqualTo(5);
	}

	@Test
	void bucketIsRemovedAfterTheLastRelease() {
		InMemoryBucketStore store = store(50);
		for (int i = 0; i < 5000; i++) {
			AcquireResult held = acquire(store, new Charge(new BucketKey("exports", "user " + i), FIVE, 1));
			refund(store, held);
		}
		assertThat(store.size()).isLessThanOrEqualTo(50);
		assertThat(store.overflows()).isZero();
	}

	@Test
	void requestThatIsLongerInFlightThanTheMaximumDurationIsLoggedOnce(CapturedOutput output) {
		InMemoryBucketStore store = store(50);
		AcquireResult inTime = acquire(store, new Charge(KEY, FIVE, 1));
		this.ticker.advance(FIVE.rate().periodTicks() - 1);
		refund(store, inTime);
		assertThat(output).doesNotContain("max-duration");
		for (int i = 0; i < 2; i++) {
			AcquireResult late = acquire(store, new Charge(KEY, FIVE, 1));
			this.ticker.advance(FIVE.rate().periodTicks());
			refund(store, late);
		}
		assertThat(output).containsOnlyOnce("Rule 'exports': a request has held its permits for max-duration.");
	}

	@Test
	void keysWithoutRoomShareTheirPermits() {
		InMemoryBucketStore store = store(50);
		for (int i = 0; i < 50; i++) {
			acquire(store, new Charge(new BucketKey("exports", "user " + i), FIVE, 1));
		}
		AcquireResult shared = acquire(store, new Charge(new BucketKey("exports", "late"), FIVE, 5));
		assertThat(shared.admitted()).isTrue();
		Charge other = new Charge(new BucketKey("exports", "later"), FIVE, 1);
		assertThat(acquire(store, other).admitted()).isFalse();
		refund(store, shared);
		assertThat(acquire(store, other).admitted()).isTrue();
	}

	@Test
	void threadsNeverHoldMoreThanTheLimitAndLeaveNothing() throws Exception {
		InMemoryBucketStore store = store(1000);
		AtomicInteger inUse = new AtomicInteger();
		AtomicInteger most = new AtomicInteger();
		Crowd.run(8, (thread) -> {
			Random random = new Random(thread);
			Deque<AcquireResult> held = new ArrayDeque<>();
			for (int i = 0; i < 20_000; i++) {
				if (!held.isEmpty() && random.nextBoolean()) {
					release(store, held.remove(), inUse);
				}
				long permits = 1L + random.nextInt(2);
				AcquireResult result = acquire(store, new Charge(KEY, FIVE, permits),
						new Charge(new BucketKey("wide", ""), Concurrency.of(1000, Duration.ofHours(1)), 1));
				if (result.admitted()) {
					most.accumulateAndGet(inUse.addAndGet((int) permits), Math::max);
					held.add(result);
				}
			}
			held.forEach((result) -> release(store, result, inUse));
			return 0;
		});
		assertThat(most).hasValue(5);
		assertThat(remaining(store, new Charge(KEY, FIVE, 0))).isEqualTo(5);
		assertThat(store.holders(KEY)).isEmpty();
		assertThat(store.holders(new BucketKey("wide", ""))).isEmpty();
	}

	private static void release(InMemoryBucketStore store, AcquireResult held, AtomicInteger inUse) {
		inUse.addAndGet((int) -held.charge(0).cost());
		refund(store, held);
	}

}
