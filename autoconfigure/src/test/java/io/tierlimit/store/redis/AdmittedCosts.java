package io.tierlimit.store.redis;

import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

import io.tierlimit.spi.BucketKey;
import io.tierlimit.spi.Charge;

/**
 * What has to be missing from each bucket after a storm: the costs that were admitted.
 */
final class AdmittedCosts {

	private final ConcurrentMap<BucketKey, Long> costs = new ConcurrentHashMap<>();

	void add(List<Charge> admitted) {
		admitted.forEach((charge) -> this.costs.merge(charge.key(), charge.cost(), Long::sum));
	}

	/** What is to be left in a bucket that nothing refills. */
	long leaves(Charge bucket) {
		return bucket.limit().capacity() - this.costs.getOrDefault(bucket.key(), 0L);
	}

}
