package io.tierlimit.store;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

import io.tierlimit.limit.Algorithm;
import io.tierlimit.limit.BucketState;
import io.tierlimit.limit.Limit;
import io.tierlimit.spi.BucketKey;
import org.jspecify.annotations.Nullable;

/**
 * A bounded map of buckets that forgets the right ones.
 * <p>
 * All buckets stand in a queue. Every new key looks at the few that stand first: a full
 * one is forgotten (it can't be told from one that never existed), any other goes to the
 * end. So memory follows the keys that are in use, without a thread of its own. When the
 * map is at its bound a new key looks further and, if none of the sample is full, evicts
 * the one that has consumed the least. A bucket with less than one permit, or that has
 * rejected a request since it was full, is being enforced and stays; where a new key
 * meets only such, it shares its rule's overflow bucket: flooding the map frees nobody.
 * The next one then looks half as far, until somebody finds room: a flood that has filled
 * the map is not worth much looking.
 * <p>
 * The entries of a log are counted, too: as many as take about the memory of a bucket
 * take one place more. Where there is no room for more entries, the log shares its last
 * one among the charges that come: those count a little longer than they should, and
 * never shorter.
 */
final class BucketMap {

	private static final int SWEEP = 2;

	/** How many that may be evicted are compared. */
	private static final int SAMPLE = 8;

	/** How many are looked at to find them. */
	private static final int PATIENCE = 32;

	private final ConcurrentMap<BucketKey, Bucket> buckets = new ConcurrentHashMap<>();

	private final OverflowBuckets overflows;

	private final Queue<Bucket> queue = new ConcurrentLinkedQueue<>();

	/** Places taken: buckets in the map and those about to be put there. */
	private final AtomicInteger places = new AtomicInteger();

	private final LongAdder evictions = new LongAdder();

	/**
	 * The latest moment at which a bucket was forgotten. A request that read the clock
	 * before must not find the same bucket full at an earlier moment.
	 */
	private final AtomicLong forgottenAt = new AtomicLong(Long.MIN_VALUE);

	/** How many the next new key looks at; that it may be a moment old does no harm. */
	private final AtomicInteger patience = new AtomicInteger(PATIENCE);

	private final int maxBuckets;

	BucketMap(int maxBuckets) {
		if (maxBuckets < 1) {
			throw new IllegalArgumentException("A store needs room for at least 1 bucket but had " + maxBuckets);
		}
		this.maxBuckets = maxBuckets;
		this.overflows = new OverflowBuckets(maxBuckets);
	}

	@Nullable Bucket get(BucketKey key) {
		Bucket bucket = this.buckets.get(key);
		return (bucket != null) ? bucket : this.overflows.get(key);
	}

	/**
	 * Finds or makes the bucket; where there is no room, the rule's overflow bucket. Must
	 * be called without a bucket's lock.
	 */
	Bucket getOrCreate(BucketKey key, Limit limit, long now) {
		Bucket bucket = this.buckets.get(key);
		if (bucket != null) {
			return bucket;
		}
		if (!takePlace(now)) {
			return this.overflows.bucket(key.rule(), limit);
		}
		Bucket created = new Bucket(key, limit, false);
		bucket = this.buckets.computeIfAbsent(key, (absent) -> {
			created.state.startAt(this.forgottenAt.get());
			return created;
		});
		if (bucket == created) {
			this.queue.add(created);
		}
		else {
			this.places.decrementAndGet();
		}
		return bucket;
	}

	private boolean takePlace(long now) {
		if (this.places.incrementAndGet() <= this.maxBuckets) {
			for (int i = 0; i < SWEEP; i++) {
				forgetFirstIfFull(now);
			}
			return true;
		}
		if (makeRoom(now)) {
			return true;
		}
		this.places.decrementAndGet();
		return false;
	}

	/**
	 * Makes room for one more entry of a log, if the limit keeps one; where there is
	 * none, the log may not grow. An overflow bucket takes no room from keys that have
	 * buckets of their own: there is one a limit, which bounds its entries. Must be
	 * called with the bucket's lock.
	 */
	void makeRoomForEntry(Bucket bucket, Limit limit, long now) {
		if (bucket.shared || limit.algorithm() != Algorithm.SLIDING_LOG) {
			return;
		}
		BucketState state = bucket.state;
		int most = bucket.places * BucketState.ENTRY_BLOCK;
		if (state.entries() >= most) {
			// Entries that do not count any more make room first.
			limit.acquire(state, 0, now);
			if (state.entries() >= most && takePlace(now)) {
				bucket.places++;
				most += BucketState.ENTRY_BLOCK;
			}
		}
		state.limitEntries(most);
	}

	/** Counts the places that a bucket takes. Must be called with the bucket's lock. */
	void countPlaces(Bucket bucket) {
		if (bucket.shared) {
			return;
		}
		int places = Math.max(1, -Math.floorDiv(-bucket.state.entryMemory(), BucketState.ENTRY_BLOCK));
		if (places != bucket.places) {
			this.places.addAndGet(places - bucket.places);
			bucket.places = places;
		}
	}

	private void forgetFirstIfFull(long now) {
		Bucket first = this.queue.poll();
		if (first != null && !forget(first, 0, now)) {
			this.queue.add(first);
		}
	}

	private boolean makeRoom(long now) {
		int looks = this.patience.get();
		Bucket leastConsumed = takeLeastConsumed(looks, now);
		int next = (leastConsumed != null) ? PATIENCE : Math.max(SWEEP, looks / 2);
		if (next != looks) {
			this.patience.set(next);
		}
		return leastConsumed != null && evict(leastConsumed, now);
	}

	/** Takes one off the queue that need not be kept, if it meets any. */
	private @Nullable Bucket takeLeastConsumed(int looks, long now) {
		Bucket leastConsumed = null;
		double least = 1;
		int candidates = 0;
		for (int i = 0; i < looks && candidates < SAMPLE && least > 0; i++) {
			Bucket bucket = this.queue.poll();
			if (bucket == null) {
				break;
			}
			double consumed = shareConsumed(bucket, now);
			candidates += (consumed < 1) ? 1 : 0;
			Bucket kept = (consumed < least) ? leastConsumed : bucket;
			if (consumed < least) {
				leastConsumed = bucket;
				least = consumed;
			}
			if (kept != null) {
				this.queue.add(kept);
			}
		}
		return leastConsumed;
	}

	private boolean evict(Bucket bucket, long now) {
		if (forget(bucket, 0, now)) {
			return true;
		}
		if (forget(bucket, Math.nextDown(1.0), now)) {
			this.evictions.increment();
			return true;
		}
		this.queue.add(bucket);
		return false;
	}

	/** From 0 for a full bucket to 1 for one that must be kept. */
	private static double shareConsumed(Bucket bucket, long now) {
		if (!tryLock(bucket)) {
			return 1;
		}
		try {
			return shareConsumedOf(bucket, now);
		}
		finally {
			bucket.lock.unlock();
		}
	}

	private static double shareConsumedOf(Bucket bucket, long now) {
		if (bucket.awaited) {
			return 1;
		}
		long left = bucket.limit.remaining(bucket.state, now);
		double capacity = bucket.limit.capacity();
		return (bucket.rejected && left < capacity) ? 1 : (capacity - left) / capacity;
	}

	/** Locks a bucket that nobody uses, this thread included. */
	private static boolean tryLock(Bucket bucket) {
		return !bucket.lock.isHeldByCurrentThread() && bucket.lock.tryLock();
	}

	/** Forgets a bucket that has come off the queue, unless it has consumed more. */
	private boolean forget(Bucket bucket, double mostConsumed, long now) {
		if (!tryLock(bucket)) {
			return false;
		}
		try {
			if (shareConsumedOf(bucket, now) > mostConsumed) {
				return false;
			}
			bucket.forgotten = true;
			this.forgottenAt.accumulateAndGet(Math.max(now, bucket.state.updatedAt()), Math::max);
			this.buckets.remove(bucket.key, bucket);
			this.places.addAndGet(-bucket.places);
			return true;
		}
		finally {
			bucket.lock.unlock();
		}
	}

	/** The buckets of a rule at this moment, and those that its keys share. */
	List<BucketKey> keysOf(String rule) {
		List<BucketKey> keys = new ArrayList<>(this.overflows.keysOf(rule));
		for (BucketKey key : this.buckets.keySet()) {
			if (key.rule().equals(rule)) {
				keys.add(key);
			}
		}
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

}
