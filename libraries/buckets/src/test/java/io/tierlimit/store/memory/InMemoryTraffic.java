package io.tierlimit.store.memory;

import java.util.List;
import java.util.Objects;

import io.tierlimit.limit.Decision;
import io.tierlimit.limit.Limit;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.BucketStore;
import io.tierlimit.store.Charge;
import io.tierlimit.store.StoreFailureFlag;

/**
 * Requests with one charge each, on buckets of one rule.
 */
final class SingleCharges {

	private SingleCharges() {
	}

	static Charge charge(String key, Limit limit, long cost) {
		return new Charge(new BucketKey("per-user", key), limit, cost);
	}

	static Decision acquire(BucketStore store, String key, Limit limit, long cost) {
		return Objects
			.requireNonNull(store.acquire(List.of(charge(key, limit, cost)), new StoreFailureFlag()).decision(0));
	}

	static long remaining(BucketStore store, String key, Limit limit) {
		return Objects.requireNonNull(store.peek(List.of(charge(key, limit, 0))).decision(0)).remaining();
	}

}
