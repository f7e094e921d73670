package io.tierlimit.store.memory;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLongArray;

import io.tierlimit.limit.Rate;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.Charge;
import io.tierlimit.store.Crowd;
import io.tierlimit.store.SimulatedTicker;
import io.tierlimit.store.StoreFailureFlag;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

// If threads wait for each other forever, the test fails instead of hanging.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class InMemoryBucketStoreConcurrencyTests {

	private static final int THREADS = 8;

	private static final int REQUESTS = 20_000;

	private static final int BUCKETS = 5;

	private static final long CAPACITY = 100_000;

	private static final TokenBucket LIMIT = new TokenBucket(new Rate(CAPACITY, Rate.parse("1/s").period()));

	private final SimulatedTicker ticker = new SimulatedTicker();

	private final InMemoryBucketStore store = new InMemoryBucketStore(this.ticker, 1_000);

	private final AtomicLongArray admitted = new AtomicLongArray(BUCKETS);

	private final List<BucketKey> keys = new ArrayList<>();

	@BeforeEach
	void nameKeys() {
		for (int i = 0; i < BUCKETS; i++) {
			this.keys.add(new BucketKey("rule " + i % 2, "key " + i));
		}
	}

	@Test
	void bucketsAdmitExactlyTheEarnedPermits() throws Exception {
		for (BucketKey key : this.keys) {
			this.store.acquire(List.of(new Charge(key, LIMIT, CAPACITY)), new StoreFailureFlag());
		}
		// One second in total earns one capacity, so no bucket is ever full and loses
		// permits.
		long step = 1_000_000 / (THREADS * REQUESTS);
		Crowd.run(THREADS, (thread) -> requests(thread, step));
		long earned = this.ticker.ticks() * CAPACITY / 1_000_000;
		for (int i = 0; i < BUCKETS; i++) {
			assertThat(this.admitted.get(i)).isPositive();
			assertThat(this.admitted.get(i) + remaining(i)).isEqualTo(earned);
		}
	}

	@Test
	void noRequestIsRejectedBecauseOfAChargeThatIsNotAcquired() throws Exception {
		BucketKey shared = this.keys.get(0);
		TokenBucket exact = new TokenBucket(LIMIT.rate(), REQUESTS);
		Charge alone = new Charge(shared, exact, 1);
		List<Charge> unsatisfiable = List.of(new Charge(shared, exact, REQUESTS / 2),
				new Charge(this.keys.get(1), LIMIT, CAPACITY + 1));
		List<Integer> passed = Crowd.run(THREADS, (thread) -> {
			int admissions = 0;
			for (int i = 0; i < REQUESTS; i++) {
				admissions += this.store.acquire((thread == 0) ? List.of(alone) : unsatisfiable, new StoreFailureFlag())
					.admitted() ? 1 : 0;
			}
			return admissions;
		});
		assertThat(passed.get(0)).isEqualTo(REQUESTS);
		assertThat(passed.subList(1, THREADS)).containsOnly(0);
	}

	/**
	 * Charges a few buckets at a time, in any order, and counts the admitted permits of
	 * each bucket.
	 */
	private int requests(int seed, long step) {
		Random random = new Random(seed);
		for (int i = 0; i < REQUESTS; i++) {
			this.ticker.advance(step);
			List<Charge> charges = new ArrayList<>();
			for (int more = random.nextInt(4); more >= 0; more--) {
				charges.add(new Charge(this.keys.get(random.nextInt(BUCKETS)), LIMIT, random.nextInt(10)));
			}
			if (this.store.acquire(charges, new StoreFailureFlag()).admitted()) {
				for (Charge charge : charges) {
					this.admitted.addAndGet(this.keys.indexOf(charge.key()), charge.cost());
				}
			}
		}
		return REQUESTS;
	}

	private long remaining(int bucket) {
		return this.store.peek(List.of(new Charge(this.keys.get(bucket), LIMIT, 0))).decisions().get(0).remaining();
	}

}
