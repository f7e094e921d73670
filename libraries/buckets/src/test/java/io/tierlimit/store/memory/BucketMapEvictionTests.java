package io.tierlimit.store.memory;

import java.util.List;

import io.tierlimit.limit.Decision;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.BucketStore;
import io.tierlimit.store.Charge;
import io.tierlimit.store.StoreFailureFlag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

@ExtendWith(OutputCaptureExtension.class)
class BucketMapEvictionTests extends InMemoryTraffic {

	private static final TokenBucket SIX = new TokenBucket(Rate.parse("1/2s"), 6);

	@Test
	void rejectsZeroBuckets() {
		assertThatIllegalArgumentException().isThrownBy(() -> store(0))
			.withMessage("The number of buckets must be at least 1 (was 0)");
	}

	@Test
	void fullBucketsAreRemovedFirst() {
		InMemoryBucketStore store = store(4);
		acquire(store, "a", TEN, 1);
		acquire(store, "b", TEN, 1);
		acquire(store, "full", TEN, 0);
		acquire(store, "c", TEN, 1);
		acquire(store, "new", TEN, 5);
		assertThat(store.evictions()).isZero();
		assertThat(store.size()).isEqualTo(4);
		assertThat(List.of("a", "b", "c")).allMatch((key) -> remaining(store, key, TEN) == 9);
		assertThat(remaining(store, "new", TEN)).isEqualTo(5);
	}

	@Test
	void leastConsumedBucketIsEvictedAndCountedIfNoneIsFull() {
		InMemoryBucketStore store = store(3);
		acquire(store, "a", TEN, 3);
		acquire(store, "b", TEN, 2);
		acquire(store, "c", TEN, 9);
		acquire(store, "new", TEN, 1);
		assertThat(store.evictions()).isEqualTo(1);
		assertThat(remaining(store, "a", TEN)).isEqualTo(7);
		assertThat(remaining(store, "b", TEN)).isEqualTo(10);
		assertThat(remaining(store, "c", TEN)).isEqualTo(1);
		assertThat(remaining(store, "new", TEN)).isEqualTo(9);
	}

	@Test
	void leastConsumedIsRelativeToTheCapacity() {
		InMemoryBucketStore store = store(2);
		TokenBucket thousand = new TokenBucket(Rate.parse("1/s"), 1_000);
		acquire(store, "small", TEN, 2);
		acquire(store, "large", thousand, 100);
		acquire(store, "new", TEN, 5);
		assertThat(remaining(store, "small", TEN)).isEqualTo(8);
		assertThat(remaining(store, "large", thousand)).isEqualTo(1_000);
	}

	@Test
	void leastConsumedIsFoundAmongEightBuckets() {
		int found = 0;
		for (int leastConsumed = 0; leastConsumed < 32; leastConsumed++) {
			InMemoryBucketStore store = store(32);
			for (int i = 0; i < 32; i++) {
				acquire(store, "user " + i, TEN, (i == leastConsumed) ? 1 : 5);
			}
			acquire(store, "new", TEN, 1);
			found += (remaining(store, "user " + leastConsumed, TEN) == 10) ? 1 : 0;
		}
		assertThat(found).isEqualTo(8);
	}

	@ParameterizedTest
	@CsvSource({ "0, 32", "10, 2" })
	void searchForRoomLooksLessFarAfterFailures(int failures, int looked) {
		assertThat(evictionsUntilFailure(40, failures)).isEqualTo(looked);
	}

	@Test
	void searchForRoomLooksFarAgainAfterASuccess() {
		InMemoryBucketStore store = enforcing(32);
		acquireNewKeys(store, 10);
		makeEvictable(store, 13);
		for (int i = 0; i < 16 && store.evictions() == 0; i++) {
			acquireNewKeys(store, 1);
		}
		makeEvictable(store, 14);
		acquire(store, "new", TEN, 1);
		assertThat(store.evictions()).isEqualTo(2);
	}

	@Test
	void bucketWithLessThanOnePermitIsNotEvicted() {
		InMemoryBucketStore store = store(10);
		acquire(store, "enforced", TEN, 10);
		this.ticker.advance(SECOND - 1);
		for (int i = 0; i < 1_000; i++) {
			acquire(store, "flood " + i, TEN, 1);
		}
		assertThat(acquire(store, "enforced", TEN, 1)).extracting(Decision::allowed, Decision::retryAfterTicks)
			.containsExactly(false, 1L);
	}

	@Test
	void bucketThatRejectedIsNotEvictedUntilItIsFull() {
		InMemoryBucketStore store = store(10);
		int admitted = 0;
		for (int second = 0; second <= 60; second++) {
			// All available permits, plus one.
			while (acquire(store, "attacked", SIX, 1).allowed()) {
				admitted++;
			}
			this.ticker.advance(SECOND + SECOND / 2);
			// The bucket has earned more than one permit, and consumes one of them.
			this.ticker.advance(SECOND);
			admitted += acquire(store, "attacked", SIX, 1).allowed() ? 1 : 0;
			for (int i = 0; i < 100; i++) {
				acquire(store, "flood " + second + " " + i, TEN, 9);
			}
		}
		assertThat(admitted).isLessThanOrEqualTo(6 + 61 * 5 / 2 / 2);
	}

	@Test
	void bucketThatRejectedIsRemovedOnceItIsFull() {
		InMemoryBucketStore store = store(1);
		acquire(store, "attacked", TEN, 10);
		acquire(store, "attacked", TEN, 1);
		this.ticker.advance(10 * SECOND - 1);
		acquire(store, "new", TEN, 1);
		assertThat(store.overflows()).isEqualTo(1);
		this.ticker.advance(1);
		acquire(store, "new", TEN, 1);
		assertThat(store.overflows()).isEqualTo(1);
		acquire(store, "newer", TEN, 1);
		assertThat(store.evictions()).as("only a bucket that has not rejected a request").isEqualTo(1);
	}

	@Test
	void bucketThatRejectedCanBeEvictedOnceItWasFull() {
		InMemoryBucketStore store = store(1);
		acquire(store, "attacked", TEN, 10);
		acquire(store, "attacked", TEN, 1);
		this.ticker.advance(10 * SECOND);
		acquire(store, "attacked", TEN, 1);
		acquire(store, "new", TEN, 1);
		assertThat(store.evictions()).isEqualTo(1);
	}

	@Test
	void bucketWithOnePermitLeftCanBeEvicted() {
		InMemoryBucketStore store = store(1);
		TokenBucket thousand = new TokenBucket(Rate.parse("1/s"), 1_000);
		acquire(store, "one left", thousand, 999);
		acquire(store, "new", TEN, 1);
		assertThat(store.evictions()).isEqualTo(1);
		assertThat(remaining(store, "new", TEN)).isEqualTo(9);
	}

	@Test
	void evictionUsesTheLimitOfTheLastCharge() {
		InMemoryBucketStore store = store(10);
		acquire(store, "ada", new TokenBucket(Rate.parse("1/d"), 10), 5);
		acquire(store, "ada", TEN, 0);
		this.ticker.advance(5 * SECOND);
		acquire(store, "new", TEN, 1);
		assertThat(store.size()).isEqualTo(1);
	}

	@Test
	void newKeysShareOneBucketPerRuleWhileAllBucketsAreEnforced() {
		InMemoryBucketStore store = store(3);
		for (String key : List.of("a", "b", "c")) {
			acquire(store, key, ONE, 1);
		}
		assertThat(acquire(store, "d", ONE, 1).allowed()).isTrue();
		assertThat(acquire(store, "e", ONE, 1).allowed()).isFalse();
		assertThat(acquire(store, "d", ONE, 1).allowed()).isFalse();
		Charge ofAnotherRule = new Charge(new BucketKey("per-ip", "d"), ONE, 1);
		assertThat(acquire(store, ofAnotherRule).admitted()).isTrue();
		assertThat(acquire(store, ofAnotherRule).admitted()).isFalse();
		assertThat(store.size()).isEqualTo(3);
		assertThat(store.evictions()).isZero();
		this.ticker.advance(SECOND);
		assertThat(acquire(store, "d", ONE, 1).allowed()).isTrue();
		assertThat(acquire(store, "e", ONE, 1).allowed()).isTrue();
	}

	@Test
	void sharedBucketIsLoggedOncePerRule(CapturedOutput output) {
		InMemoryBucketStore store = store(1);
		acquire(store, "a", ONE, 1);
		for (int i = 0; i < 5; i++) {
			acquire(store, "new " + i, ONE, 1);
		}
		assertThat(output.getAll().lines().filter((line) -> line.contains("can be evicted"))).singleElement()
			.asString()
			.contains("WARN")
			.endsWith("All 1 buckets are in use, and no sampled bucket can be evicted: new keys of rule 'per-user' "
					+ "share one bucket. If these keys are of legitimate callers, raise "
					+ "tierlimit.memory.max-buckets.");
	}

	@Test
	void fullBucketsStayWhileMostPlacesAreFree() {
		InMemoryBucketStore store = store(64 * 100);
		for (int i = 0; i < 1_000; i++) {
			acquire(store, "full " + i, TEN, 0);
			assertThat(store.size()).isLessThanOrEqualTo(100);
		}
		assertThat(store.size()).isBetween(99, 100);
	}

	@Test
	void memoryFollowsTheKeysThatAreInUse() {
		InMemoryBucketStore store = store(1_000);
		int most = 0;
		for (int round = 0; round < 100; round++) {
			for (int i = 0; i < 100; i++) {
				acquire(store, round + " " + i, TEN, 10);
				most = Math.max(most, store.size());
			}
			this.ticker.advance(10 * SECOND);
		}
		assertThat(most).isBetween(100, 250);
		assertThat(store.evictions()).isZero();
	}

	@Test
	void idleKeysAreRemovedAndKeysInUseStay() {
		InMemoryBucketStore store = store(500);
		TokenBucket daily = new TokenBucket(Rate.parse("1/d"), 5);
		acquire(store, "daily", daily, 2);
		for (int i = 0; i < 10_000; i++) {
			acquire(store, "flood " + i, ONE, 1);
			this.ticker.advance(SECOND);
		}
		assertThat(remaining(store, "daily", daily)).isEqualTo(3);
		assertThat(store.size()).isLessThan(10);
	}

	@Test
	void peeksRefundsAndResetsCreateNoBucket() {
		InMemoryBucketStore store = store(10);
		Charge charge = charge("ada", TEN, 1);
		store.peek(List.of(charge));
		store.refund(List.of(charge), new StoreFailureFlag());
		store.reset(charge.key(), new StoreFailureFlag());
		assertThat(store.size()).isZero();
	}

	@Test
	void removedBucketGrantsNoAdditionalPermitsToARequestWithAnEarlierMoment() {
		InMemoryBucketStore store = store(10);
		acquire(store, "ada", ONE, 1);
		this.ticker.set(SECOND);
		acquire(store, "removes ada, which is full", TEN, 1);
		assertThat(store.size()).isEqualTo(1);
		this.ticker.set(SECOND / 2);
		assertThat(acquire(store, "ada", ONE, 1).allowed()).isTrue();
		this.ticker.set(2 * SECOND - 1);
		assertThat(acquire(store, "ada", ONE, 1).allowed()).isFalse();
		this.ticker.set(2 * SECOND);
		assertThat(acquire(store, "ada", ONE, 1).allowed()).isTrue();
	}

	@Test
	void requestMayHaveMoreBucketsThanTheStore() {
		InMemoryBucketStore store = store(1);
		Charge[] charges = { charge("a", TEN, 1), charge("b", TEN, 2), charge("c", TEN, 3) };
		assertThat(acquire(store, charges).admitted()).isTrue();
		assertThat(store.size()).isEqualTo(1);
		assertThat(acquire(store, charges).admitted()).isTrue();
	}

	@Test
	void requestMayCreateABucketAndUseAFullOne() {
		InMemoryBucketStore store = store(10);
		acquire(store, "full", TEN, 0);
		assertThat(acquire(store, charge("full", TEN, 1), charge("new", TEN, 2)).decisions())
			.extracting(Decision::remaining)
			.containsExactly(9L, 8L);
	}

	/** The number of buckets among which a new key finds the evictable one. */
	private int evictionsUntilFailure(int maxBuckets, int keysBefore) {
		int found = 0;
		for (int evictable = 0; evictable < maxBuckets; evictable++) {
			InMemoryBucketStore store = enforcing(maxBuckets);
			acquireNewKeys(store, keysBefore);
			makeEvictable(store, evictable);
			acquire(store, "one more", TEN, 1);
			found += (int) store.evictions();
		}
		return found;
	}

	private InMemoryBucketStore enforcing(int maxBuckets) {
		InMemoryBucketStore store = store(maxBuckets);
		for (int i = 0; i < maxBuckets; i++) {
			acquire(store, "enforced " + i, TEN, 10);
		}
		return store;
	}

	private static void acquireNewKeys(BucketStore store, int keys) {
		for (int i = 0; i < keys; i++) {
			acquire(store, "new " + i, TEN, 10);
		}
	}

	private static void makeEvictable(BucketStore store, int enforced) {
		store.refund(List.of(charge("enforced " + enforced, TEN, 1)), new StoreFailureFlag());
	}

}
