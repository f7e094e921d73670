package io.tierlimit.store.shard;

import io.tierlimit.limit.Limit;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.Charge;

/**
 * The permits that a charge acquires from one shard of its bucket.
 */
public final class ShardCharge extends Charge {

	private final Charge whole;

	ShardCharge(BucketKey shard, Limit limit, long cost, Charge whole) {
		super(shard, limit, cost, whole.options());
		this.whole = whole;
	}

	/**
	 * Returns the charge on the bucket as a whole, for a store that decides without its
	 * shards. The charges of one request on several shards of a bucket become charges on
	 * the same bucket.
	 * @param charge any charge
	 * @return the charge on the bucket; the given charge if it is not on a shard
	 */
	public static Charge whole(Charge charge) {
		return (charge instanceof ShardCharge shard) ? shard.whole : charge;
	}

}
