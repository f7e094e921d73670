package io.tierlimit.store.memory;

import java.util.List;
import java.util.Objects;

import io.tierlimit.limit.Decision;
import io.tierlimit.limit.Limit;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.store.AcquireResult;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.BucketStore;
import io.tierlimit.store.Charge;
import io.tierlimit.store.SimulatedTicker;
import io.tierlimit.store.StoreFailureFlag;
import org.junit.jupiter.api.Timeout;

/**
 * Requests to stores in memory with a simulated clock. If a request searches for its
 * buckets forever, its test fails instead of hanging.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
abstract class InMemoryTraffic {

	static final long SECOND = 1_000_000;

	static final TokenBucket ONE = new TokenBucket(Rate.parse("1/s"), 1);

	static final TokenBucket TEN = new TokenBucket(Rate.parse("1/s"), 10);

	final SimulatedTicker ticker = new SimulatedTicker();

	final InMemoryBucketStore store(int maxBuckets) {
		return new InMemoryBucketStore(this.ticker, maxBuckets);
	}

	/** A charge on a bucket of the rule per-user. */
	static Charge charge(String key, Limit limit, long cost) {
		return new Charge(new BucketKey("per-user", key), limit, cost);
	}

	static AcquireResult acquire(BucketStore store, Charge... charges) {
		return store.acquire(List.of(charges), new StoreFailureFlag());
	}

	static Decision acquire(BucketStore store, String key, Limit limit, long cost) {
		return Objects.requireNonNull(acquire(store, charge(key, limit, cost)).decision(0));
	}

	static void refund(BucketStore store, AcquireResult result) {
		store.refund(result.charges(), new StoreFailureFlag());
	}

	static long remaining(BucketStore store, String key, Limit limit) {
		return remaining(store, charge(key, limit, 0));
	}

	static long remaining(BucketStore store, Charge peeked) {
		return Objects.requireNonNull(store.peek(List.of(peeked)).decision(0)).remaining();
	}

}
