package io.tierlimit.store.memory;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

import io.tierlimit.limit.Algorithm;
import io.tierlimit.limit.BucketState;
import io.tierlimit.limit.Limit;
import io.tierlimit.store.BucketKey;
import org.jspecify.annotations.Nullable;

/**
 * A bounded map of buckets that evicts the buckets that are needed least.
 * <p>
 * As in the CLOCK algorithm, a hand goes round the buckets. Once more than a small part
 * of the map is occupied, every new key looks at the next two buckets of the hand. A full
 * bucket is removed, because it is equivalent to a missing one; any other bucket stays.
 * The memory therefore follows the keys that are in use, without a background thread, and
 * a map with a lot of room keeps the buckets of callers that return. When the map is
 * full, a new key looks at more buckets and, if no bucket is full, evicts the bucket that
 * has consumed the least. A bucket stays if it has less than one permit, or if it has
 * rejected a request since it was full: its limit is being enforced. A new key that finds
 * only such buckets shares the overflow bucket of its rule, so a flood of keys resets no
 * exhausted limit. The next key then looks at half as many buckets, until a key finds
 * room, because it is useless to search a map that a flood has filled.
 * <p>
 * The entries of logs also take places: each block of entries, after the first block of a
 * bucket, takes one more place. Without room for more entries, further charges share the
 * last entry of the log. These charges expire a little later than they should, and never
 * earlier.
 */
final class BucketMap {

	/** Full buckets stay as long as at most this part of the places is occupied. */
	private static final int IDLE_PART = 64;

	/** The number of removable buckets that are compared. */
	private static final int SAMPLE = 8;

	/** The maximum number of buckets that a new key looks at. */
	private static final int MAX_LOOKUPS = 32;

	/** The number of buckets that a new key looks at in a map that a flood has filled. */
	private static final int MIN_LOOKUPS = 2;

	/** The maximum number of samples if other threads change the selected buckets. */
	private static final int MAX_SAMPLES = 8;

	private final BucketTable buckets;

	private final OverflowBuckets overflows;

	/**
	 * The places that are occupied by buckets in the map, or reserved for buckets that
	 * are about to be added.
	 */
	private final AtomicInteger places = new AtomicInteger();

	private final LongAdder evictions = new LongAdder();

	/**
	 * The number of buckets that the next new key looks at. A slightly old value is
	 * harmless.
	 */
	private final AtomicInteger maxLookups = new AtomicInteger(MAX_LOOKUPS);

	private final int maxBuckets;

	/** The number of occupied places up to which full buckets are not removed. */
	private final int idlePlaces;

	BucketMap(int maxBuckets) {
		if (maxBuckets < 1) {
			throw new IllegalArgumentException("The number of buckets must be at least 1 (was " + maxBuckets + ")");
		}
		this.maxBuckets = maxBuckets;
		this.idlePlaces = maxBuckets / IDLE_PART;
		this.buckets = new BucketTable(maxBuckets);
		this.overflows = new OverflowBuckets(maxBuckets);
	}

	/**
	 * Finds a bucket without a lock. A bucket that is not found may exist nevertheless,
	 * so call {@link #getOrCreate} or {@link #get} then.
	 */
	@Nullable Bucket find(BucketKey key) {
		Bucket bucket = this.buckets.find(key);
		return (bucket != null) ? bucket : this.overflows.get(key);
	}

	@Nullable Bucket get(BucketKey key) {
		Bucket bucket = this.buckets.get(key);
		return (bucket != null) ? bucket : this.overflows.get(key);
	}

	/**
	 * Finds or creates the bucket; without room, returns the rule's overflow bucket. The
	 * caller must not have locked a bucket.
	 */
	Bucket getOrCreate(BucketKey key, Limit limit, long now) {
		Bucket bucket = this.buckets.find(key);
		if (bucket != null) {
			return bucket;
		}
		int taken = takePlace(now);
		if (taken == 0) {
			bucket = this.buckets.get(key);
			return (bucket != null) ? bucket : this.overflows.bucket(key.rule(), limit);
		}
		Bucket created = new Bucket(key);
		bucket = (taken <= this.idlePlaces) ? this.buckets.putIfAbsent(key, created)
				: this.buckets.visitAndPutIfAbsent(key, created, (next) -> remove(next, 0, now));
		if (bucket != created) {
			this.places.decrementAndGet();
		}
		return bucket;
	}

	/**
	 * Returns the number of occupied places, including the new one; 0 without room for
	 * it.
	 */
	private int takePlace(long now) {
		int taken = this.places.incrementAndGet();
		if (taken <= this.maxBuckets || makeRoom(now)) {
			return taken;
		}
		this.places.decrementAndGet();
		return 0;
	}

	/**
	 * Makes room for one more entry if the limit has a log; without room, the log must
	 * not grow. The log of an overflow bucket takes no places: there is one overflow
	 * bucket per limit, which bounds its entries. The caller must have locked the bucket.
	 */
	void makeRoomForEntry(Bucket bucket, Limit limit, long now) {
		if (bucket.isShared() || limit.algorithm() != Algorithm.SLIDING_LOG) {
			return;
		}
		int most = bucket.places() * BucketState.ENTRY_BLOCK;
		if (bucket.entries() >= most) {
			// Expired entries make room first.
			limit.acquire(bucket, 0, now);
			if (bucket.entries() >= most && takePlace(now) > 0) {
				bucket.setPlaces(bucket.places() + 1);
				most += BucketState.ENTRY_BLOCK;
			}
		}
		bucket.limitEntries(most);
	}

	/** Counts the places that a bucket takes. The caller must have locked the bucket. */
	void countPlaces(Bucket bucket) {
		if (bucket.isShared()) {
			return;
		}
		int places = Math.max(1, -Math.floorDiv(-bucket.entryMemory(), BucketState.ENTRY_BLOCK));
		if (places != bucket.places()) {
			this.places.addAndGet(places - bucket.places());
			bucket.setPlaces(places);
		}
	}

	private boolean makeRoom(long now) {
		int lookups = this.maxLookups.get();
		boolean found = removeFullOrLeastConsumed(lookups, now);
		int next = found ? MAX_LOOKUPS : Math.max(MIN_LOOKUPS, lookups / 2);
		if (next != lookups) {
			this.maxLookups.set(next);
		}
		return found;
	}

	/**
	 * Looks at a sample of the next buckets, and removes all full buckets or, if there
	 * are none, the bucket that has consumed the least. If another thread locks or
	 * removes this bucket in the meantime, looks at the next sample.
	 */
	private boolean removeFullOrLeastConsumed(int lookups, long now) {
		Attempt attempt = Attempt.CHANGED;
		for (int i = 0; i < MAX_SAMPLES && attempt == Attempt.CHANGED; i++) {
			attempt = removeOfSample(lookups, now);
		}
		return attempt == Attempt.REMOVED;
	}

	private Attempt removeOfSample(int lookups, long now) {
		Bucket leastConsumed = null;
		double least = 1;
		int candidates = 0;
		boolean removed = false;
		for (int looked = 0; looked < lookups && candidates < SAMPLE && !removed;) {
			@Nullable Bucket[] sample = this.buckets.next(Math.min(lookups - looked, SAMPLE - candidates));
			looked += sample.length;
			for (Bucket bucket : sample) {
				if (bucket == null || remove(bucket, 0, now)) {
					removed |= bucket != null;
					continue;
				}
				double consumed = shareConsumed(bucket, now);
				candidates += (consumed < 1) ? 1 : 0;
				if (consumed < least) {
					leastConsumed = bucket;
					least = consumed;
				}
			}
		}
		if (removed) {
			return Attempt.REMOVED;
		}
		if (leastConsumed == null) {
			return Attempt.NONE_FOUND;
		}
		return evict(leastConsumed, now) ? Attempt.REMOVED : Attempt.CHANGED;
	}

	private boolean evict(Bucket bucket, long now) {
		if (remove(bucket, 0, now)) {
			return true;
		}
		if (remove(bucket, Math.nextDown(1.0), now)) {
			this.evictions.increment();
			return true;
		}
		return false;
	}

	/** From 0 for a full bucket to 1 for a bucket that must not be removed. */
	private static double shareConsumed(Bucket bucket, long now) {
		if (!bucket.tryLock()) {
			return 1;
		}
		try {
			return bucket.shareConsumed(now);
		}
		finally {
			bucket.unlock();
		}
	}

	/** Removes a bucket, unless it has consumed more, or was removed. */
	private boolean remove(Bucket bucket, double mostConsumed, long now) {
		if (!bucket.tryLock()) {
			return false;
		}
		try {
			if (bucket.shareConsumed(now) > mostConsumed) {
				return false;
			}
			this.places.addAndGet(-bucket.places());
			bucket.setRemoved();
			this.buckets.remove(bucket, Math.max(now, bucket.updatedAt()));
			return true;
		}
		finally {
			bucket.unlock();
		}
	}

	/** The current buckets of a rule, including its overflow buckets. */
	List<BucketKey> keysOf(String rule) {
		List<BucketKey> keys = new ArrayList<>(this.overflows.keysOf(rule));
		this.buckets.addKeysOf(rule, keys);
		return keys;
	}

	int size() {
		return this.buckets.size();
	}

	long evictions() {
		return this.evictions.sum();
	}

	long overflows() {
		return this.overflows.charges();
	}

	/**
	 * The result of a look at one sample.
	 */
	private enum Attempt {

		REMOVED,

		/** No bucket of the sample may be removed. */
		NONE_FOUND,

		/** Another thread has changed the selected bucket. */
		CHANGED

	}

}
