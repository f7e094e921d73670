package io.tierlimit.store.memory;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import io.tierlimit.store.Charge;
import io.tierlimit.store.Crowd;
import io.tierlimit.store.StoreFailureFlag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class BucketMapConcurrencyTests extends InMemoryTraffic {

	@Test
	void floodFromSeveralThreadsStaysWithinTheBound() throws Exception {
		InMemoryBucketStore store = store(100);
		List<Integer> largest = Crowd.run(8, (thread) -> {
			int most = 0;
			for (int i = 0; i < 5_000; i++) {
				acquire(store, "flood " + thread % 4 + " " + i, TEN, i % 12);
				most = Math.max(most, store.size());
			}
			return most;
		});
		assertThat(largest).allMatch((most) -> most <= 100);
		assertThat(store.size()).isLessThanOrEqualTo(100);
		// No place was lost: there is room for as many buckets as in the beginning.
		this.ticker.advance(TEN.timeToFull());
		for (int i = 0; i < 100; i++) {
			acquire(store, "later " + i, TEN, 1);
		}
		for (int i = 0; i < 100; i++) {
			assertThat(remaining(store, "later " + i, TEN)).isEqualTo(9);
		}
	}

	@Test
	void requestsEndWhileTheirBucketsAreRemovedRepeatedly() throws Exception {
		InMemoryBucketStore store = store(3);
		List<Integer> admitted = Crowd.run(8, (thread) -> {
			int admissions = 0;
			for (int i = 0; i < 5_000; i++) {
				List<Charge> charges = List.of(charge("a" + (i + thread) % 3, TEN, 0), charge("b" + i % 4, TEN, 0));
				admissions += store.acquire(charges, new StoreFailureFlag()).admitted() ? 1 : 0;
			}
			return admissions;
		});
		assertThat(admitted).containsOnly(5_000);
	}

	@Test
	void bucketCreatedBySeveralThreadsTakesOnePlace() throws Exception {
		for (int round = 0; round < 50; round++) {
			InMemoryBucketStore store = store(100);
			Crowd.run(4, (thread) -> {
				for (int i = 0; i < 100; i++) {
					acquire(store, "key " + i, ONE, 1);
				}
				return 100;
			});
			for (int i = 0; i < 100; i++) {
				acquire(store, "key " + i, ONE, 1);
			}
			assertThat(store.size()).isEqualTo(100);
		}
	}

	@Test
	void onlyPermitIsAcquiredByOneThreadAtATimeWhileItsBucketIsRemovedRepeatedly() throws Exception {
		InMemoryBucketStore store = store(63);
		AtomicInteger holders = new AtomicInteger();
		List<Integer> sharedLocks = Crowd.run(4, (thread) -> {
			int shared = 0;
			for (int i = 0; i < 50_000; i++) {
				acquire(store, "removes other buckets " + thread + " " + i, ONE, 0);
				if (acquire(store, "ada", ONE, 1).allowed()) {
					shared += (holders.incrementAndGet() > 1) ? 1 : 0;
					holders.decrementAndGet();
					store.refund(List.of(charge("ada", ONE, 1)), new StoreFailureFlag());
				}
			}
			return shared;
		});
		assertThat(sharedLocks).containsOnly(0);
	}

}
