package io.tierlimit.benchmarks.shards;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import io.tierlimit.limit.Limit;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.BucketStore;
import io.tierlimit.store.Charge;
import io.tierlimit.store.StoreFailureFlag;
import io.tierlimit.store.Ticker;
import io.tierlimit.store.memory.InMemoryBucketStore;
import io.tierlimit.store.shard.LimitDivision;
import io.tierlimit.store.shard.ShardedBuckets;

/**
 * One limit that several instances share, in one store and by a simulated clock.
 */
@FunctionalInterface
interface SharedLimit {

	/**
	 * Checks a request that an instance has received.
	 * @return whether it is admitted
	 */
	boolean admits(int instance);

	/**
	 * Creates a limit in the way that an application does: every instance has its own
	 * sharded buckets over the store of all instances, and draws two shards.
	 */
	static SharedLimit ofTwoChoices(Limit limit, int shards, int instances, Ticker ticker, Random random) {
		BucketStore store = new InMemoryBucketStore(ticker, 2 * BucketKey.MAX_SHARDS);
		List<BucketStore> each = new ArrayList<>();
		for (int i = 0; i < instances; i++) {
			each.add(new ShardedBuckets(store, ticker, random::nextInt));
		}
		List<Charge> charges = List.of(new Charge(new BucketKey("shared", "").spread(shards), limit, 1));
		return (instance) -> each.get(instance).acquire(charges, new StoreFailureFlag()).admitted();
	}

	/** Creates a limit of which every request is checked against one random shard. */
	static SharedLimit ofOneChoice(Limit limit, int shards, Ticker ticker, Random random) {
		BucketStore store = new InMemoryBucketStore(ticker, 2 * BucketKey.MAX_SHARDS);
		BucketKey key = new BucketKey("shared", "").spread(shards);
		LimitDivision division = LimitDivision.of(limit, shards, key.windowSeed());
		List<List<Charge>> charges = new ArrayList<>();
		for (int i = 0; i < shards; i++) {
			charges.add(List.of(new Charge(key.shard(i), division.shards().get(i), 1)));
		}
		return (instance) -> store.acquire(charges.get(random.nextInt(shards)), new StoreFailureFlag()).admitted();
	}

}
