package io.tierlimit.store.shard;

import io.tierlimit.limit.Limit;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.Charge;
import io.tierlimit.store.ChargeOptions;

/**
 * A charge that is divided over all shards of its bucket, whatever its cost: to each in
 * proportion to its permits. On a bucket without shards, it is like any other charge.
 */
public final class AllShardsCharge extends Charge {

	/**
	 * Creates a charge.
	 * @param key the bucket
	 * @param limit the arithmetic of the bucket
	 * @param cost the number of permits
	 * @param options how the rule treats the charge
	 */
	public AllShardsCharge(BucketKey key, Limit limit, long cost, ChargeOptions options) {
		super(key, limit, cost, options);
	}

}
