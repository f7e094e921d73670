package io.tierlimit.store.shard;

import java.util.List;

import io.tierlimit.limit.Limit;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.Charge;

/**
 * A charge that shards of its bucket have decided. A refund goes to these shards.
 */
final class SpreadCharge extends Charge {

	private final List<Charge> parts;

	SpreadCharge(BucketKey key, Limit limit, Charge charge, List<Charge> parts) {
		super(key, limit, charge.cost(), charge.options(), parts.get(0).receipt());
		this.parts = parts;
	}

	/** The charges as they were decided. */
	List<Charge> parts() {
		return this.parts;
	}

}
