package io.tierlimit.store.redis;

import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

import io.tierlimit.store.BucketKey;
import io.tierlimit.store.Charge;

/**
 * The sum of the costs that were admitted from each bucket.
 */
final class AdmittedCosts {

	private final ConcurrentMap<BucketKey, Long> costs = new ConcurrentHashMap<>();

	void add(List<Charge> admitted) {
		admitted.forEach((charge) -> this.costs.merge(charge.key(), charge.cost(), Long::sum));
	}

	/** The permits that remain in a bucket that does not refill. */
	long leaves(Charge bucket) {
		return bucket.limit().capacity() - this.costs.getOrDefault(bucket.key(), 0L);
	}

}
