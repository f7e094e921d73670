package io.tierlimit.store.memory;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;

import io.tierlimit.limit.BucketState;
import io.tierlimit.limit.Limit;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.SlidingLog;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.BucketStore;
import io.tierlimit.store.Charge;
import io.tierlimit.store.ChargeOptions;
import io.tierlimit.store.SequentialBucketStore;
import io.tierlimit.store.Settlement;
import io.tierlimit.store.SimulatedTicker;
import io.tierlimit.store.StoreFailureFlag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

// If a request does not end, the test fails.
@Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class InMemoryBucketStoreTests {

	@Test
	void clockIsReadOncePerOperation() {
		AtomicInteger readings = new AtomicInteger();
		BucketStore store = new InMemoryBucketStore(readings::getAndIncrement, 10);
		TokenBucket limit = new TokenBucket(Rate.parse("1/s"), 4);
		List<Charge> charges = List.of(new Charge(new BucketKey("per-user", "ada"), limit, 2),
				new Charge(new BucketKey("per-ip", "203.0.113.7"), limit, 1),
				new Charge(new BucketKey("global", ""), limit, 1));
		for (int admittedThenRejected = 1; admittedThenRejected <= 4; admittedThenRejected++) {
			store.acquire(charges, new StoreFailureFlag());
			assertThat(readings).hasValue(admittedThenRejected);
		}
		store.peek(charges);
		assertThat(readings).hasValue(5);
		store.refund(charges, new StoreFailureFlag());
		assertThat(readings).hasValue(6);
		store.reset(charges.get(0).key(), new StoreFailureFlag());
		assertThat(readings).hasValue(7);
	}

	@Test
	void bucketThatRejectsAnExpensiveRequestIsNotRemoved() {
		InMemoryBucketStore store = new InMemoryBucketStore(new SimulatedTicker(), 100);
		consume(store, "attacked");
		assertThat(acquire(store, "attacked", 2)).isFalse();
		for (int i = 0; i < 400; i++) {
			consume(store, "flood" + i);
			acquire(store, "flood" + i, 2);
		}
		assertThat(acquire(store, "attacked", 2)).isFalse();
		assertThat(store.evictions()).isZero();
	}

	@Test
	void bucketThatRejectedAnUnsatisfiableCostIsRemovedOnceItIsFull() {
		InMemoryBucketStore store = new InMemoryBucketStore(new SimulatedTicker(), 1);
		assertThat(acquire(store, "a", 6)).isFalse();
		assertThat(acquire(store, "b", 1)).isTrue();
		assertThat(store.overflows()).isZero();
	}

	@Test
	void requestsOnAnyNumberOfBucketsAreDecidedAsInSequence() {
		Random random = new Random(42);
		SimulatedTicker ticker = new SimulatedTicker();
		BucketStore store = new InMemoryBucketStore(ticker, 1_000);
		BucketStore expected = new SequentialBucketStore(ticker);
		for (int request = 0; request < 2_000; request++) {
			ticker.advance(random.nextInt(100_000));
			List<Charge> charges = new ArrayList<>();
			for (int i = random.nextInt(40); i >= 0; i--) {
				TokenBucket limit = new TokenBucket(Rate.parse("10/s"), 20);
				ChargeOptions options = random.nextInt(4) > 0 ? ChargeOptions.ENFORCED : ChargeOptions.SHADOW;
				BucketKey key = new BucketKey("rule", options.shadow() + " " + random.nextInt(60));
				charges.add(new Charge(key, limit, random.nextInt(5), options));
			}
			assertThat(store.acquire(charges, new StoreFailureFlag()))
				.isEqualTo(expected.acquire(charges, new StoreFailureFlag()));
		}
	}

	private static void consume(InMemoryBucketStore store, String key) {
		acquire(store, key, 2);
		acquire(store, key, 2);
	}

	private static boolean acquire(InMemoryBucketStore store, String key, long cost) {
		TokenBucket limit = new TokenBucket(Rate.parse("1/d"), 5);
		return store.acquire(List.of(new Charge(new BucketKey("r", key), limit, cost)), new StoreFailureFlag())
			.admitted();
	}

	@Test
	void refundUnderAnotherLimitKeepsTheLimitOfTheLastCheck() {
		Bucket bucket = new Bucket(new BucketKey("rule", "key"));
		Limit ten = new TokenBucket(Rate.parse("1/d"), 10);
		ten.acquire(bucket, 6, 0);
		bucket.decided(ten, false);
		assertThat(bucket.shareConsumed(0)).isEqualTo(0.6);
		bucket.settle(Settlement.refund(new Charge(bucket.key(), new TokenBucket(Rate.parse("1/d"), 100), 1)), 0);
		assertThat(bucket.shareConsumed(0)).isEqualTo(0.5);
	}

	@Test
	void placesOfTheLongestLogFitIntoAByte() {
		assertThat(SlidingLog.MAX_PERMITS / BucketState.ENTRY_BLOCK + 1).isLessThan(Byte.MAX_VALUE);
	}

}
