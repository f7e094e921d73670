package io.tierlimit.store.shard;

import java.util.ArrayList;
import java.util.List;

import io.tierlimit.limit.Limit;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.Charge;
import io.tierlimit.store.Settlement;

/**
 * A charge that shards of its bucket have decided. A refund goes to these shards.
 */
final class SpreadCharge extends Charge {

	private final List<Charge> parts;

	SpreadCharge(BucketKey key, Limit limit, Charge charge, List<Charge> parts) {
		super(key, limit, charge.cost(), charge.options(), parts.get(0).receipt());
		this.parts = parts;
	}

	/**
	 * Divides a settlement: what the first parts have acquired is kept first, and the
	 * last part consumes what is above the cost.
	 */
	List<Settlement> settle(Settlement settlement) {
		List<Settlement> settlements = new ArrayList<>(this.parts.size());
		long left = settlement.actual();
		for (int i = 0; i < this.parts.size(); i++) {
			Charge part = this.parts.get(i);
			long kept = (i < this.parts.size() - 1) ? Math.min(part.cost(), left) : left;
			settlements.add(new Settlement(part, kept, settlement.maxDebt(), settlement.reserved()));
			left -= kept;
		}
		return settlements;
	}

	/**
	 * The parts that were acquired although the store has rejected other parts, which
	 * happens in shadow mode.
	 */
	List<Charge> incomplete() {
		List<Charge> acquired = new ArrayList<>(this.parts);
		acquired.removeIf((part) -> part.receipt() == null);
		return (acquired.size() < this.parts.size()) ? acquired : List.of();
	}

}
