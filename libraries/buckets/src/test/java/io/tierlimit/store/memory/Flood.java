package io.tierlimit.store.memory;

import java.util.List;

import io.tierlimit.limit.Rate;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.Charge;
import io.tierlimit.store.Crowd;
import io.tierlimit.store.SimulatedTicker;
import io.tierlimit.store.StoreFailureFlag;

/**
 * A program that floods a store with hostile keys while one bucket is attacked, and
 * prints the result. The clock of the store stands still.
 */
final class Flood {

	private static final int THREADS = 4;

	private static final int KEYS_PER_HIT = 500;

	// Together with the number, the key has the maximum length of a key that is not
	// hashed.
	private static final String PREFIX = "flood-".repeat(8);

	private static final long FIRST_NUMBER = 1_000_000_000_000_000L;

	private static final Charge ATTACKED = new Charge(new BucketKey("per-user", "attacked"),
			new TokenBucket(Rate.parse("5/d")), 1);

	private final InMemoryBucketStore store;

	private final int keys;

	private final TokenBucket limit;

	private Flood(int maxBuckets, int keys, int burst) {
		this.keys = keys;
		this.store = new InMemoryBucketStore(new SimulatedTicker(), maxBuckets);
		this.limit = new TokenBucket(Rate.parse("1/d"), burst);
	}

	/**
	 * Floods a store.
	 * @param args the maximum number of buckets, the number of keys, and their burst;
	 * each key consumes one permit
	 */
	public static void main(String[] args) throws Exception {
		Flood flood = new Flood(Integer.parseInt(args[0]), Integer.parseInt(args[1]), Integer.parseInt(args[2]));
		int exhausting = flood.attack(10);
		int admitted = Crowd.run(THREADS, flood::run).stream().mapToInt(Integer::intValue).sum();
		System.out.println("attacked bucket first admitted " + exhausting);
		System.out.println("attacked bucket then admitted " + (admitted + flood.attack(10)));
		System.out.println("size " + flood.store.size());
		System.out.println("evictions " + flood.store.evictions());
		System.out.println("overflows " + flood.store.overflows());
	}

	private int run(int thread) {
		int admitted = 0;
		for (int i = thread; i < this.keys; i += THREADS) {
			BucketKey key = new BucketKey("per-user", PREFIX + (FIRST_NUMBER + i));
			this.store.acquire(List.of(new Charge(key, this.limit, 1)), new StoreFailureFlag());
			admitted += (i / THREADS % KEYS_PER_HIT == 0) ? attack(1) : 0;
		}
		return admitted;
	}

	private int attack(int times) {
		int admitted = 0;
		for (int i = 0; i < times; i++) {
			admitted += this.store.acquire(List.of(ATTACKED), new StoreFailureFlag()).admitted() ? 1 : 0;
		}
		return admitted;
	}

}
