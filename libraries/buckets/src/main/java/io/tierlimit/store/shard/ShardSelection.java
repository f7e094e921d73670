package io.tierlimit.store.shard;

import java.util.ArrayList;
import java.util.List;

import io.tierlimit.limit.Decision;
import io.tierlimit.limit.Limit;
import io.tierlimit.store.AcquireResult;
import io.tierlimit.store.AcquireResult.Source;
import io.tierlimit.store.Charge;
import org.jspecify.annotations.Nullable;

/**
 * The shards that decide a charge.
 *
 * @param bucket the bucket; {@code null} if it is not spread
 * @param limits the limits of its shards
 * @param charge the charge on the bucket
 * @param parts the charges on shards
 * @param other the shard that was drawn, too, and that seemed to have fewer permits;
 * {@link #NONE} if there is none
 */
record ShardSelection(@Nullable ShardedBucket bucket, List<Limit> limits, Charge charge, List<Charge> parts,
		int other) {

	static final int NONE = -1;

	/** The selection for a charge that is passed on without changes. */
	static ShardSelection unspread(Charge charge) {
		return new ShardSelection(null, List.of(), charge, List.of(charge), NONE);
	}

	/**
	 * Combines the decisions on the parts.
	 * @param result the result of the store
	 * @param first the index of the first part in the result
	 * @param remembered whether the shards have the decided levels afterwards; not if
	 * their decisions were only peeked
	 * @return the decision; {@code null} if no part has one
	 */
	@Nullable Decision combine(AcquireResult result, int first, long now, boolean remembered) {
		ShardedBucket spread = this.bucket;
		if (spread == null) {
			return result.decision(first);
		}
		ShardLevel[] levels = spread.levels();
		Decision strictest = null;
		boolean onShards = result.source() == Source.STORE;
		for (int i = 0; i < this.parts.size(); i++) {
			Decision decision = result.decision(first + i);
			if (decision == null) {
				// Another part is rejected without a call of the store.
				continue;
			}
			strictest = (strictest == null || isStricter(decision, strictest)) ? decision : strictest;
			int shard = result.charge(first + i).key().shardIndex();
			onShards &= shard >= 0;
			if (onShards) {
				levels[shard] = ShardLevel.of(decision, now);
			}
			if (onShards && remembered) {
				spread.see(shard, levels[shard]);
			}
		}
		if (!onShards || strictest == null) {
			// Other buckets have replaced the shards, or no bucket has decided.
			return strictest;
		}
		return sum(strictest, (remembered || strictest.allowed()) ? levels : spread.levels(), now);
	}

	private static boolean isStricter(Decision decision, Decision other) {
		return decision.retryAfterTicks() > other.retryAfterTicks() || decision.delayTicks() > other.delayTicks();
	}

	/**
	 * Avoids the selected shard until a time, because the store could not be reached: the
	 * servers of other shards may still reply. All shards together are not avoided.
	 */
	void avoid(long until) {
		if (this.bucket != null && this.parts.size() == 1) {
			this.bucket.see(this.parts.get(0).key().shardIndex(), ShardLevel.unreachable(until));
		}
	}

	/** The charge as it was decided, for a refund. */
	Charge decided(AcquireResult result, int first) {
		if (this.bucket == null) {
			return result.charge(first);
		}
		List<Charge> decided = new ArrayList<>(this.parts.size());
		for (int i = 0; i < this.parts.size(); i++) {
			decided.add(result.charge(first + i));
		}
		return (result.source() == Source.STORE)
				? new SpreadCharge(this.charge.key(), this.charge.limit(), this.charge, decided)
				: new SpreadCharge(decided.get(0).key(), decided.get(0).limit(), this.charge, decided);
	}

	/** Whether a result without decisions lists a part as the reason. */
	boolean isIn(List<Charge> charges) {
		return this.parts.stream().anyMatch(charges::contains);
	}

	/**
	 * The decision on the bucket as a whole.
	 * @param strictest the decision of the shard on which the request depends
	 * @param levels the levels of all shards
	 */
	private Decision sum(Decision strictest, ShardLevel[] levels, long now) {
		long remaining = 0;
		long next = Decision.NEVER;
		long full = 0;
		for (int i = 0; i < this.limits.size(); i++) {
			remaining += Math.max(0, levels[i].permits(this.limits.get(i), now));
			if (levels[i].ticksUntilFull(now) > 0) {
				full = Math.max(full, levels[i].ticksUntilFull(now));
				next = Math.min(next, levels[i].ticksUntilNextPermit(this.limits.get(i), now));
			}
		}
		return new Decision(strictest.allowed(), remaining, retryAfter(strictest, levels, now), (full > 0) ? next : 0,
				full, strictest.delayTicks());
	}

	private long retryAfter(Decision decision, ShardLevel[] levels, long now) {
		if (decision.allowed() || this.other == NONE) {
			return decision.retryAfterTicks();
		}
		long ofOther = levels[this.other].ticksUntil(this.charge.cost(), this.limits.get(this.other), now);
		return Math.max(1, Math.min(decision.retryAfterTicks(), ofOther));
	}

}
