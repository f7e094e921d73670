package io.tierlimit.store.shard;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;

import io.tierlimit.limit.Limit;
import io.tierlimit.limit.Overdraft;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.Charge;

/**
 * A bucket that is spread over shards, with the level of each shard as this instance last
 * saw it. Thread-safe.
 */
final class ShardedBucket {

	/** The number of draws in search of a shard that is not avoided. */
	private static final int DRAWS = 3;

	private final BucketKey key;

	private final List<BucketKey> shards;

	private final AtomicReferenceArray<ShardLevel> levels;

	/** Replaced when the limit has changed. */
	private volatile LimitDivision division;

	ShardedBucket(BucketKey key, Limit limit) {
		this.key = key;
		this.shards = IntStream.range(0, key.shards()).mapToObj(key::shard).toList();
		this.levels = new AtomicReferenceArray<>(key.shards());
		for (int i = 0; i < key.shards(); i++) {
			this.levels.set(i, ShardLevel.FULL);
		}
		this.division = LimitDivision.upTo(limit, key.shards(), key.windowSeed());
	}

	/** All shards, including shards that a small limit does not use. */
	List<BucketKey> shards() {
		return this.shards;
	}

	LimitDivision division(Limit limit) {
		LimitDivision current = this.division;
		if (!current.limit().equals(limit)) {
			current = LimitDivision.upTo(limit, this.key.shards(), this.key.windowSeed());
			this.division = current;
		}
		return current;
	}

	void see(int shard, ShardLevel level) {
		this.levels.set(shard, level);
	}

	/**
	 * Selects the shards that decide a charge. A cost that a single shard can allow is
	 * charged to one of two random shards: to the one with more permits. A larger cost is
	 * charged to all shards, to each in proportion to its permits.
	 * @param random returns a random number from 0 to below its argument
	 */
	ShardSelection select(Charge charge, long now, IntUnaryOperator random) {
		LimitDivision divided = division(charge.limit());
		if (needsAllShards(charge, divided)) {
			return selectAll(charge, divided, now);
		}
		if (divided.size() == 1) {
			return selection(charge, divided, 0, ShardSelection.NONE);
		}
		int one = 0;
		int two = 0;
		for (int i = 0; i < DRAWS && (i == 0 || permits(one, divided, now) < 0); i++) {
			int first = random.applyAsInt(divided.size());
			int second = (first + 1 + random.applyAsInt(divided.size() - 1)) % divided.size();
			boolean better = permits(first, divided, now) >= permits(second, divided, now);
			one = better ? first : second;
			two = better ? second : first;
		}
		return selection(charge, divided, one, two);
	}

	/** A cost that the whole bucket never allows is rejected by any shard. */
	private static boolean needsAllShards(Charge charge, LimitDivision divided) {
		return divided.size() > 1 && (charge instanceof AllShardsCharge || (charge.cost() > divided.burst()
				&& charge.limit().canPass(charge.cost(), charge.options().overdraft())));
	}

	/** Selects the shard with the most permits; for a large cost, all shards. */
	ShardSelection best(Charge charge, long now) {
		LimitDivision divided = division(charge.limit());
		if (needsAllShards(charge, divided)) {
			return selectAll(charge, divided, now);
		}
		int best = 0;
		for (int i = 1; i < divided.size(); i++) {
			best = (permits(i, divided, now) > permits(best, divided, now)) ? i : best;
		}
		return selection(charge, divided, best, ShardSelection.NONE);
	}

	private ShardSelection selectAll(Charge charge, LimitDivision divided, long now) {
		return new ShardSelection(this, divided.shards(), charge, parts(charge, divided, now), ShardSelection.NONE);
	}

	private ShardSelection selection(Charge charge, LimitDivision divided, int shard, int other) {
		return new ShardSelection(this, divided.shards(), charge, List.of(part(charge, divided, shard, charge.cost())),
				other);
	}

	private Charge part(Charge charge, LimitDivision divided, int shard, long cost) {
		Charge whole = (cost == charge.cost()) ? charge
				: new Charge(charge.key(), charge.limit(), cost, charge.options());
		return new ShardCharge(this.shards.get(shard), divided.shards().get(shard), cost, whole);
	}

	private List<Charge> parts(Charge charge, LimitDivision divided, long now) {
		long[] permits = new long[divided.size()];
		double total = 0;
		for (int i = 0; i < permits.length; i++) {
			permits[i] = Math.max(0, permits(i, divided, now));
			total += permits[i];
		}
		long[] costs = new long[permits.length];
		long left = charge.cost();
		for (int i = 0; i < costs.length && total > 0; i++) {
			costs[i] = Math.min(Math.min(permits[i], left), (long) (permits[i] / total * charge.cost()));
			left -= costs[i];
		}
		// First the permits that rounding has left. A debt is divided equally; without a
		// debt,
		// the request is rejected, and no part may exceed the capacity of its shard.
		left = spread(left, permits, costs, 1);
		left = spread(left, permits, costs, Long.MAX_VALUE);
		if (charge.options().overdraft().equals(Overdraft.NONE)) {
			long[] capacities = divided.shards().stream().mapToLong(Limit::capacity).toArray();
			left = spread(left, capacities, costs, Long.MAX_VALUE);
		}
		for (int i = 0; i < costs.length; i++) {
			costs[i] += left / costs.length + ((i < left % costs.length) ? 1 : 0);
		}
		List<Charge> parts = new ArrayList<>(costs.length);
		for (int i = 0; i < costs.length; i++) {
			if (costs[i] > 0) {
				parts.add(part(charge, divided, i, costs[i]));
			}
		}
		return parts;
	}

	/** Raises costs up to limits, each by a maximum, and returns what is left. */
	private static long spread(long permits, long[] limits, long[] costs, long most) {
		long left = permits;
		for (int i = 0; i < costs.length; i++) {
			long more = Math.min(Math.min(left, most), Math.max(0, limits[i] - costs[i]));
			costs[i] += more;
			left -= more;
		}
		return left;
	}

	/**
	 * Charges that add permits without regard to earlier charges, to all shards.
	 * @param random returns a random number from 0 to below its argument
	 */
	List<Charge> additions(Charge charge, IntUnaryOperator random) {
		LimitDivision divided = division(charge.limit());
		List<Charge> parts = new ArrayList<>(divided.size());
		int first = random.applyAsInt(divided.size());
		for (int i = 0; i < divided.size(); i++) {
			long cost = charge.cost() / divided.size() + ((i < charge.cost() % divided.size()) ? 1 : 0);
			if (cost > 0) {
				parts.add(part(charge, divided, (first + i) % divided.size(), cost));
			}
		}
		return parts;
	}

	/** Charges of 0 permits on all shards, which read their levels. */
	ShardSelection inspection(Charge charge) {
		LimitDivision divided = division(charge.limit());
		List<Charge> parts = new ArrayList<>(divided.size());
		for (int i = 0; i < divided.size(); i++) {
			parts.add(new ShardCharge(this.shards.get(i), divided.shards().get(i), 0, charge));
		}
		return new ShardSelection(this, divided.shards(), charge, parts, ShardSelection.NONE);
	}

	private long permits(int shard, LimitDivision divided, long now) {
		return this.levels.get(shard).permits(divided.shards().get(shard), now);
	}

	/** The levels at present. */
	ShardLevel[] levels() {
		ShardLevel[] copy = new ShardLevel[this.levels.length()];
		for (int i = 0; i < copy.length; i++) {
			copy[i] = this.levels.get(i);
		}
		return copy;
	}

}
