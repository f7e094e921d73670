package io.tierlimit.store.memory;

import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.LongAdder;

import io.tierlimit.limit.Algorithm;
import io.tierlimit.limit.Limit;
import io.tierlimit.store.BucketKey;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The buckets that keys share if the store has no room for them: one per rule, algorithm
 * and capacity, never removed. Limits that differ only by their rate share a bucket, so
 * that a change of an adaptive rate does not select a new, full bucket.
 */
final class OverflowBuckets {

	private static final Log logger = LogFactory.getLog(OverflowBuckets.class);

	private final ConcurrentMap<Share, Bucket> shared = new ConcurrentHashMap<>();

	private final ConcurrentMap<BucketKey, Bucket> buckets = new ConcurrentHashMap<>();

	private final LongAdder charges = new LongAdder();

	private final int maxBuckets;

	OverflowBuckets(int maxBuckets) {
		this.maxBuckets = maxBuckets;
	}

	@Nullable Bucket get(BucketKey key) {
		return this.buckets.isEmpty() ? null : this.buckets.get(key);
	}

	/** Finds or creates the bucket for one more charge without room. */
	Bucket bucket(String rule, Limit limit) {
		this.charges.increment();
		Share share = new Share(rule, limit.algorithm(), limit.capacity());
		Bucket bucket = this.shared.get(share);
		return (bucket != null) ? bucket : this.shared.computeIfAbsent(share, this::create);
	}

	private Bucket create(Share share) {
		logger.warn("All " + this.maxBuckets
				+ " buckets are in use, and no sampled bucket can be evicted: new keys of rule '" + share.rule()
				+ "' share one bucket. If these keys are of legitimate callers, raise "
				+ "tierlimit.memory.max-buckets.");
		// A caller may choose its key, but never the rule.
		BucketKey key = new BucketKey("(overflow) " + share.rule(), share.algorithm() + " " + share.capacity());
		Bucket bucket = Bucket.shared(key);
		this.buckets.put(key, bucket);
		return bucket;
	}

	List<BucketKey> keysOf(String rule) {
		return this.shared.entrySet()
			.stream()
			.filter((entry) -> entry.getKey().rule().equals(rule))
			.map((entry) -> entry.getValue().key())
			.toList();
	}

	long charges() {
		return this.charges.sum();
	}

	private record Share(String rule, Algorithm algorithm, long capacity) {

	}

}
