package io.tierlimit.store;

import org.jspecify.annotations.Nullable;

/**
 * Identifies one bucket by its rule and its key within the rule. The order is total and
 * arbitrary. A store that locks several buckets in this order avoids deadlocks.
 */
public final class BucketKey implements Comparable<BucketKey> {

	private final String rule;

	private final String key;

	private final String affinityKey;

	private final int hash;

	/**
	 * Creates a bucket key.
	 * @param rule the rule's id
	 * @param key the key within the rule; empty for a rule with one bucket
	 * @param affinityKey the owner of the bucket, derived from the key. A distributed
	 * store keeps all buckets of one owner in the same place
	 */
	public BucketKey(String rule, String key, String affinityKey) {
		this.rule = rule;
		this.key = key;
		this.affinityKey = affinityKey;
		this.hash = 31 * rule.hashCode() + key.hashCode();
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
