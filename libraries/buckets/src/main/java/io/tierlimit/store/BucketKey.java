package io.tierlimit.store;

import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * Identifies one bucket by its rule and its key within the rule. The order is total and
 * arbitrary. A store that locks several buckets in this order avoids deadlocks.
 */
public final class BucketKey implements Comparable<BucketKey> {

	/** The maximum number of shards of a bucket. */
	public static final int MAX_SHARDS = 64;

	private final String rule;

	private final String key;

	private final String affinityKey;

	private final int hash;

	private final byte shards;

	/** 1 for the first shard; 0 for a bucket that is not a shard. */
	private final byte shard;

	/**
	 * Creates a bucket key.
	 * @param rule the rule's id
	 * @param key the key within the rule; empty for a rule with one bucket
	 * @param affinityKey the owner of the bucket, derived from the key. A distributed
	 * store keeps all buckets of one owner in the same place
	 */
	public BucketKey(String rule, String key, String affinityKey) {
		this(rule, key, affinityKey, 1, 0);
	}

	private BucketKey(String rule, String key, String affinityKey, int shards, int shard) {
		this.rule = rule;
		this.key = key;
		this.affinityKey = affinityKey;
		this.hash = 31 * rule.hashCode() + key.hashCode();
		this.shards = (byte) shards;
		this.shard = (byte) shard;
	}

	/**
	 * Creates the key of a bucket whose owner is identified by the whole key.
	 * @param rule the rule's id
	 * @param key the key within the rule; empty for a rule with one bucket
	 */
	public BucketKey(String rule, String key) {
		this(rule, key, key);
	}

	/**
	 * The rule of the bucket.
	 * @return the rule's id
	 */
	public String rule() {
		return this.rule;
	}

	/**
	 * The key within the rule.
	 * @return the key; empty for a rule with one bucket
	 */
	public String key() {
		return this.key;
	}

	/**
	 * The owner of the bucket, such as a user. Buckets of different rules can have the
	 * same owner. The owner does not identify the bucket.
	 * @return the owner; empty for a rule with one bucket
	 */
	public String affinityKey() {
		return this.affinityKey;
	}

	/**
	 * Returns the key of the same bucket, spread over shards.
	 * @param count the number of shards: 1, for a bucket that is not spread, to
	 * {@value #MAX_SHARDS}
	 * @return the key, which equals this key
	 * @throws IllegalArgumentException if the number is out of range
	 */
	public BucketKey spread(int count) {
		if (count < 1 || count > MAX_SHARDS) {
			throw new IllegalArgumentException("shards must be 1 to " + MAX_SHARDS + " (was " + count + ")");
		}
		return (count == this.shards) ? this : new BucketKey(this.rule, this.key, this.affinityKey, count, 0);
	}

	/**
	 * The number of shards over which the bucket is spread.
	 * @return the number; 1 for a bucket that is not spread
	 */
	public int shards() {
		return this.shards;
	}

	/**
	 * Returns the key of a shard. Its {@linkplain #affinityKey() owner} is the key of the
	 * bucket. No bucket of a rule has the same key, because a leading parenthesis is
	 * escaped in the keys of rules.
	 * @param index the index of the shard, from 0
	 * @return the key of a bucket of its own
	 */
	public BucketKey shard(int index) {
		int number = Objects.checkIndex(index, this.shards) + 1;
		return new BucketKey(this.rule, "(shard " + number + "/" + this.shards + ")" + this.key, this.key, this.shards,
				number);
	}

	/**
	 * The index of a shard.
	 * @return the index, from 0; -1 if this is not the key of a shard
	 */
	public int shardIndex() {
		return this.shard - 1;
	}

	/**
	 * A number that is derived from rule and key, and the same in every instance. It
	 * offsets the windows of this bucket from the windows of other buckets.
	 * @return 0 or more, evenly distributed
	 */
	public long windowSeed() {
		return (this.hash * 0x9E3779B97F4A7C15L) >>> 1;
	}

	@Override
	public int compareTo(BucketKey other) {
		int byHash = Integer.compare(this.hash, other.hash);
		if (byHash != 0) {
			return byHash;
		}
		int byRule = this.rule.compareTo(other.rule);
		return (byRule != 0) ? byRule : this.key.compareTo(other.key);
	}

	@Override
	public boolean equals(@Nullable Object other) {
		return other instanceof BucketKey that && this.hash == that.hash && this.rule.equals(that.rule)
				&& this.key.equals(that.key);
	}

	@Override
	public int hashCode() {
		return this.hash;
	}

	@Override
	public String toString() {
		return this.key.isEmpty() ? this.rule : this.rule + "/" + this.key;
	}

}
