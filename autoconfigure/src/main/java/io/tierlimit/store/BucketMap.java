package io.tierlimit.store;

import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

import io.tierlimit.limit.Limit;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.jspecify.annotations.Nullable;

/**
 * A bounded map of buckets that forgets the right ones.
 * <p>
 * All buckets stand in a queue. Every new key looks at the few that stand first: a full
 * one is forgotten (it can't be told from one that never existed), any other goes to the
 * end. So memory follows the keys that are in use, without a thread of its own. When the
 * map is at its bound a new key looks further and, if none of the sample is full, evicts
 * the one that has spent the least. A bucket with less than one permit is being enforced
 * and stays; where the sample holds only such, the new key shares its rule's overflow
 * bucket: flooding the map frees nobody.
 */
final class BucketMap {

	private static final Log logger = LogFactory.getLog(BucketMap.class);

	private static final int SWEEP = 2;

	private static final int SAMPLE = 32;

	private final ConcurrentMap<BucketKey, Bucket> buckets = new ConcurrentHashMap<>();

	private final ConcurrentMap<BucketKey, Bucket> overflows = new ConcurrentHashMap<>();

	private final Queue<Bucket> queue = new ConcurrentLinkedQueue<>();

	/** Places taken: buckets in the map and those about to be put there. */
	private final AtomicInteger places = new AtomicInteger();

	private final LongAdder evictions = new LongAdder();

	/**
	 * The latest moment at which a bucket was forgotten. A request that read the clock
	 * before must not find the same bucket full at an earlier moment.
	 */
	private final AtomicLong forgottenAt = new AtomicLong(Long.MIN_VALUE);

	private final int maxBuckets;

	BucketMap(int maxBuckets) {
		if (maxBuckets < 1) {
			throw new IllegalArgumentException("A store needs room for at least 1 bucket but had " + maxBuckets);
		}
		this.maxBuckets = maxBuckets;
	}

	@Nullable Bucket get(BucketKey key) {
		Bucket bucket = this.buckets.get(key);
		return (bucket != null || this.overflows.isEmpty()) ? bucket : this.overflows.get(key);
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
			return overflow(key.rule(), limit);
		}
		Bucket created = new Bucket(key, limit);
		bucket = this.buckets.computeIfAbsent(key, (absent) -> {
			limit.reset(created.state, this.forgottenAt.get());
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

	private Bucket overflow(String rule, Limit limit) {
		BucketKey key = new BucketKey(rule, "(overflow) " + limit);
		return this.overflows.computeIfAbsent(key, (absent) -> {
			logger.warn("There is no room among " + this.maxBuckets
					+ " buckets, and those sampled are being enforced: new keys" + " of rule '" + rule
					+ "' share one bucket. Raise tierlimit.memory.max-buckets if these are callers of yours.");
			return new Bucket(key, limit);
		});
	}

	private void forgetFirstIfFull(long now) {
		Bucket first = this.queue.poll();
		if (first != null && !forget(first, 0, now)) {
			this.queue.add(first);
		}
	}

	private boolean makeRoom(long now) {
		Bucket leastSpent = null;
		double least = 1;
		for (int i = 0; i < SAMPLE; i++) {
			Bucket bucket = this.queue.poll();
			if (bucket == null) {
				break;
			}
			double spent = shareSpent(bucket, now);
			Bucket kept = (spent < least) ? leastSpent : bucket;
			if (spent < least) {
				leastSpent = bucket;
				least = spent;
			}
			if (kept != null) {
				this.queue.add(kept);
			}
			if (least == 0) {
				break;
			}
		}
		return leastSpent != null && evict(leastSpent, now);
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
	private static double shareSpent(Bucket bucket, long now) {
		if (!bucket.lock.tryLock()) {
			return 1;
		}
		try {
			if (bucket.awaited) {
				return 1;
			}
			double capacity = bucket.limit.capacity();
			return (capacity - bucket.limit.remaining(bucket.state, now)) / capacity;
		}
		finally {
			bucket.lock.unlock();
		}
	}

	/** Forgets a bucket that has come off the queue, unless it has spent more. */
	private boolean forget(Bucket bucket, double mostSpent, long now) {
		if (!bucket.lock.tryLock()) {
			return false;
		}
		try {
			if (shareSpent(bucket, now) > mostSpent) {
				return false;
			}
			bucket.forgotten = true;
			this.forgottenAt.accumulateAndGet(Math.max(now, bucket.state.asOf()), Math::max);
			this.buckets.remove(bucket.key, bucket);
			this.places.decrementAndGet();
			return true;
		}
		finally {
			bucket.lock.unlock();
		}
	}

	int size() {
		return this.buckets.size();
	}

	long evictions() {
		return this.evictions.sum();
	}

}
